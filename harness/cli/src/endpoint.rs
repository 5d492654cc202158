//! A run against an endpoint by URL: its key, Ctrl-C, and nothing left behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::args::{GivenKey, RunArgs};
use super::interrupt::{self, Interrupt};
use super::progress;
use crate::shell::CommandError;
use crate::shell::write_stderr;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::{About, Fault, Target as _};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_http::{HttpConfig, HttpTarget};

pub(super) fn replay<'a>(
    url: &str,
    vectors: &[&'a Vector],
    args: &RunArgs,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
) -> Result<Run<'a>, CommandError> {
    let key = args.key.as_ref().map(GivenKey::get).transpose()?;
    let config = HttpConfig::new(url, key)?.with_timeout(Duration::from_secs(args.timeout));
    let target = Arc::new(HttpTarget::new(config));
    let options = Options { budget_s: args.budget, progress: Arc::new(progress::show), ..Options::default() };
    interrupt::watch(&options.stop, deletes_its_database(&target))?;
    begin(target.about())?;
    let run = prepared(&target, vectors, &options);
    progress::hide();
    if let Err(fault) = target.cleanup() {
        // What is left behind is no verdict, but somebody has to know.
        write_stderr(&format!("warning: {}\n", plain(&fault.to_string())));
    }
    Ok(run?)
}

/// A target that cannot be prepared is no verdict; after Ctrl-C it is what was asked for.
fn prepared<'a>(target: &HttpTarget, vectors: &[&'a Vector], options: &Options) -> Result<Run<'a>, Fault> {
    match target.prepare() {
        Ok(()) => run_real(target, vectors, options),
        Err(_) if options.stop.load(Ordering::SeqCst) => {
            Ok(Run::unasked(target.about(), vectors, "the run was interrupted before"))
        }
        Err(fault) => Err(fault),
    }
}

/// The first Ctrl-C ends the run in good order: nobody waits for a busy target any longer, what was not judged says so,
/// and the database is deleted.
pub(super) fn deletes_its_database(target: &Arc<HttpTarget>) -> Interrupt {
    let database = target.database();
    // The handler stays until the process ends, and must not keep the target from being dropped, which cleans up.
    let weak = Arc::downgrade(target);
    Interrupt {
        first: "ending the run and deleting its database".into(),
        second: format!("the database {database} may be left behind"),
        wake: Box::new(move || {
            if let Some(target) = weak.upgrade() {
                target.interrupt();
            }
        }),
    }
}
