//! Starts this program as a process, and replays the vectors against it.

use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use cosmos_ttl_harness::run::{Run, run_virtual};
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_targets::process::target::{ProcessConfig, ProcessTarget};

/// A file of this package.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Five vectors; the one in the middle names the trigger.
pub(crate) fn suite() -> Suite {
    Suite::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/targets/suite")).unwrap()
}

/// The command that acts in this way.
pub(crate) fn command(way: &str) -> Vec<String> {
    let this = env::current_exe().unwrap().to_string_lossy().into_owned();
    vec![this, "--act".into(), way.into()]
}

/// How it is talked to: patient enough for a busy machine, except where it is to be found hanging.
pub(crate) fn config(way: &str) -> ProcessConfig {
    let hangs = way.contains("hangs") || way.contains("half-a-line");
    let timeout = Duration::from_millis(if hangs { 400 } else { 20_000 });
    ProcessConfig { timeout, ..ProcessConfig::new(command(way)) }
}

pub(crate) fn start(way: &str) -> Result<ProcessTarget, Fault> {
    ProcessTarget::start(config(way))
}

/// Returns the verdicts of the five vectors, in order, with their reasons.
pub(crate) fn verdicts(target: &ProcessTarget) -> Vec<(Outcome, String, Option<String>)> {
    let suite = suite();
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();
    said(&run_virtual(target, &vectors).unwrap())
}

pub(crate) fn said(run: &Run<'_>) -> Vec<(Outcome, String, Option<String>)> {
    let said = |result: &cosmos_ttl_harness::run::VectorResult<'_>| {
        (result.verdict.outcome(), result.verdict.reason().unwrap_or_default(), result.log.clone())
    };
    run.results.iter().map(said).collect()
}
