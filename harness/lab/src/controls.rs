//! `cargo lab mutants --controls`: every correct store, and whether a vector or an exploration accuses it.

use std::sync::atomic::AtomicBool;

use serde::Serialize;

use cosmos_ttl::report::style::{BOLD, RenderOptions, styled, wrapped};
use cosmos_ttl::report::vectors as counted;
use cosmos_ttl::shell::{CommandError, Format, Output, json};
use cosmos_ttl_explore::{Contradiction, ExploreOptions, Finding, explore};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, Control};

use crate::report_text;

/// A control, and what accuses it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedControl {
    /// The control.
    #[serde(flatten)]
    pub control: Control,
    /// The names of the vectors that it fails, or from which it differs where they say `should`.
    pub failed_by: Vec<String>,
    /// How many random requests it got.
    pub requests: u64,
    /// The first difference that they showed.
    pub explored: Option<String>,
}

impl JudgedControl {
    /// Replays the vectors against a control, then sends it this number of random requests.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the harness.
    pub fn of(control: Control, vectors: &[&Vector], seed: u64, steps: u64) -> Result<Self, Fault> {
        let results = run_virtual(&control.store, vectors)?.results;
        let accuses = |outcome| matches!(outcome, Outcome::Fail | Outcome::Differ);
        let failed = results.iter().filter(|result| accuses(result.verdict.outcome()));
        let failed_by = failed.map(|result| result.vector.name.clone()).collect();
        let stop = AtomicBool::new(false);
        let (requests, explored) = if steps == 0 {
            (0, None)
        } else {
            let explored = explore(&control.store, &ExploreOptions { seed, steps, stop: &stop })?;
            (explored.coverage.requests, explored.found.map(|found| differs(&found)))
        };
        Ok(Self { control, failed_by, requests, explored })
    }

    fn accusation(&self) -> Option<String> {
        let name = self.control.name;
        match (self.failed_by.as_slice(), &self.explored) {
            ([], None) => None,
            ([first, rest @ ..], _) => {
                let fail = if rest.is_empty() { "fails" } else { "fail" };
                Some(format!("{} {fail} {name}, {first} first", counted(self.failed_by.len())))
            }
            ([], Some(found)) => Some(format!("random requests accuse {name}: {found}")),
        }
    }
}

fn differs(found: &Finding) -> String {
    let Contradiction { expected, got, .. } = &found.differs;
    format!("seed {}, after {} requests: expected {expected}, got {got}", found.seed, found.after)
}

/// Lists every control; `steps` random requests are divided among them.
pub(crate) fn judge_controls(
    suite: &Suite,
    steps: u64,
    format: Format,
    look: RenderOptions,
) -> Result<Output, CommandError> {
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let all: Vec<_> = (0..).zip(CONTROLS.iter().copied()).collect();
    let each = steps.div_ceil(all.len() as u64);
    let judged = parallel::map(&all, |(number, control)| {
        JudgedControl::of(*control, &vectors, number * 1_000_000, each)
    })?;
    let accused: Vec<_> = judged.iter().filter_map(JudgedControl::accusation).collect();
    let code = u8::from(!accused.is_empty());
    if format == Format::Json {
        return Ok(Output { text: json(&judged), code });
    }
    let mut lines = Vec::new();
    for one in &judged {
        let says = wrapped(one.control.says, look.width.saturating_sub(4), "    ");
        lines.extend([styled(BOLD, one.control.name), format!("    {says}")]);
    }
    let requests: u64 = judged.iter().map(|one| one.requests).sum();
    let explored = if steps == 0 { String::new() } else { format!(" · {requests} random requests") };
    let counts = format!(
        "{} controls · {} vectors{explored} · {} accused",
        judged.len(),
        vectors.len(),
        accused.len(),
    );
    lines.push(String::new());
    lines.extend(report_text::ending(&accused, &counts, look));
    Ok(Output { text: lines.join("\n") + "\n", code })
}
