//! `cargo lab lock`

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use crate::args::LockArgs;
use cosmos_ttl::shell::CommandError;
use cosmos_ttl::shell::filter::help;
use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::vector::{Drift, LOCK_FILE, Lock, Suite};
use cosmos_ttl_report::diagnostic::vectors;

pub(super) fn lock(args: &LockArgs) -> Result<String, CommandError> {
    let suite = Suite::load(&args.vectors)?.with_derived();
    let path = args.vectors.join(LOCK_FILE);
    let stored = read(&path)?;
    let source = Source { name: path.display().to_string(), text: stored.clone().unwrap_or_default() };
    let mut lock = Lock::parse(&Arc::new(source))?;
    let drift = lock.drift(&suite.vectors);
    refuse_idle(&drift, args)?;
    refuse_changes(&drift, args)?;
    publish(&mut lock, &suite, &drift, args);
    let text = lock.render();
    let told = format!("{}: {}", path.display(), told(&suite, &drift));
    if stored.as_deref() == Some(&text) {
        return Ok(format!("{told}; up to date\n"));
    }
    if args.check {
        return Err(CommandError::usage(
            format!("{told}; not up to date"),
            "`cargo lab lock` writes it anew",
        ));
    }
    fs::write(&path, text)
        .map_err(|err| Diagnostic::of_path(path.display(), format!("cannot be written: {err}"), ""))?;
    Ok(format!("{told}; written\n"))
}

/// The lock as it is stored; `None` where there is none yet.
fn read(path: &Path) -> Result<Option<String>, Diagnostic> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
        Err(err) => Err(Diagnostic::of_path(path.display(), format!("cannot be read: {err}"), "")),
    }
}

/// Refuses to accept what did not change, and to retire what did not go away.
fn refuse_idle(drift: &Drift, args: &LockArgs) -> Result<(), CommandError> {
    if let Some(name) = args.accept.iter().find(|name| !drift.changed.contains(name)) {
        let help = "--accept names a published vector that means something else now";
        return Err(CommandError::usage(format!("`{name}` has not changed"), help));
    }
    if let Some(name) = args.retire.iter().find(|name| !drift.gone.contains(name)) {
        let help = "--retire names a published vector that was taken out of its file";
        return Err(CommandError::usage(format!("`{name}` has not gone away"), help));
    }
    Ok(())
}

/// Refuses whatever would change what was published, unless it is named.
fn refuse_changes(drift: &Drift, args: &LockArgs) -> Result<(), CommandError> {
    let unnamed = |names: &[String], named: &[String]| {
        names.iter().filter(|name| !named.contains(name)).map(|name| format!("`{name}`")).collect::<Vec<_>>()
    };
    let changed = unnamed(&drift.changed, &args.accept);
    let gone = unnamed(&drift.gone, &args.retire);
    let reused = unnamed(&drift.reused, &[]);
    let mut what = Vec::new();
    let mut lines = Vec::new();
    if !changed.is_empty() {
        what.push(format!("published vectors mean something else now: {}", changed.join(", ")));
        lines.push(
            "a new meaning takes a new id; if the old one was wrong, and its source says so: --accept VECTOR",
        );
    }
    if !gone.is_empty() {
        what.push(format!("published vectors are gone: {}", gone.join(", ")));
        lines.push("put them back, or: --retire VECTOR --why TEXT");
    }
    if !reused.is_empty() {
        what.push(format!("retired names are used again: {}", reused.join(", ")));
        lines.push("a retired name is never used again; choose another id");
    }
    if what.is_empty() { Ok(()) } else { Err(CommandError::usage(what.join("; "), help(&lines))) }
}

fn publish(lock: &mut Lock, suite: &Suite, drift: &Drift, args: &LockArgs) {
    let names = drift.new.iter().chain(&args.accept);
    names.filter_map(|name| suite.get(name)).for_each(|vector| lock.publish(vector));
    for name in &args.retire {
        lock.retire(name, args.why.as_deref().unwrap_or_default());
    }
}

fn told(suite: &Suite, drift: &Drift) -> String {
    let counts = [(drift.new.len(), "new"), (drift.changed.len(), "changed"), (drift.gone.len(), "retired")];
    let counts =
        counts.iter().filter(|(count, _)| 0 < *count).map(|(count, what)| format!(", {count} {what}"));
    vectors(suite.vectors.len()) + &counts.collect::<String>()
}
