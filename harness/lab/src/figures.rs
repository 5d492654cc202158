//! The figures of `README.md` and its pages: each has one source, and a command writes it.
//!
//! A figure is found by the words around it. So people may edit every sentence, and no number.

use std::fs;
use std::path::Path;

use cosmos_ttl::shell::CommandError;
use cosmos_ttl_complete::{CompleteSuite, Depth, Machine, PairMachine, TargetChoices, Transitions as _};
use cosmos_ttl_explore::mutants::grouped;
use cosmos_ttl_harness::target::Edition;
use cosmos_ttl_harness::text_file::TextKind;
use cosmos_ttl_harness::vector::{DERIVED, Suite};
use cosmos_ttl_mutants::{CONTROLS, all_controls, mutants};

use crate::complete::LONGEST_S;
use crate::store_group::faulty_mutants;

const PAGE: TextKind = TextKind { accepted: "a page of the project in Markdown", most_bytes: 1 << 20 };
const SOURCE: TextKind = TextKind { accepted: "a file that a command writes", most_bytes: 16 << 20 };

const README: &str = "README.md";
const USAGE: &str = "harness/USAGE.md";
const TRUST: &str = "harness/TRUST.md";

const WITNESSES: &str = "harness/lab/tests/lab/snapshots/lab__ablation__every_clause_has_a_witness.snap";
const EXPLORED: &str = "harness/explore/tests/explore/snapshots/explore__mutants__exploration_finds_all_mutants_but_these_and_accuses_nobody.snap";
const COVERAGE: &str = "harness/lab/tests/lab/snapshots/lab__coverage__counts.snap";
const CERTIFICATE: &str = "vectors/derived/certificate.yaml";
const QUICK: &str = "vectors/quick.yaml";

/// A figure, and the words around it: `| {} clauses are needed`.
struct Figure {
    page: &'static str,
    words: &'static str,
    value: String,
}

/// Returns each page with its figures as they must be; a page of which none is stale is left out.
pub(crate) fn stale_pages(
    project: &Path,
    suite: &Suite,
) -> Result<Vec<(&'static str, String)>, CommandError> {
    let figures = figures(project, suite)?;
    let mut stale = Vec::new();
    for page in [README, USAGE, TRUST] {
        let before = PAGE.read(&project.join(page))?.text;
        let mut text = if page == README { with_sections(&before, suite) } else { before.clone() };
        for figure in figures.iter().filter(|figure| figure.page == page) {
            text = figure.put(&text)?;
        }
        if text != before {
            stale.push((page, text));
        }
    }
    Ok(stale)
}

/// Writes the pages with stale figures.
pub(crate) fn write(project: &Path, pages: &[(&str, String)]) -> std::io::Result<()> {
    pages.iter().try_for_each(|(page, text)| fs::write(project.join(page), text))
}

fn figures(project: &Path, suite: &Suite) -> Result<Vec<Figure>, CommandError> {
    let written: Vec<_> = suite.vectors.iter().filter(|vector| !vector.name.contains(DERIVED)).collect();
    let (by_hand, derived) = (written.len(), suite.derived.len());
    let latest = Edition::default();
    let other_edition =
        written.iter().filter(|vector| vector.edition.is_some_and(|edition| edition != latest)).count();
    let apply = by_hand.saturating_sub(other_edition);
    let all_mutants = mutants().count();
    let killable = faulty_mutants().count();
    let controls = CONTROLS.len();
    let killed = between(project, QUICK, "fail ", &format!(" of {all_mutants} mutants"))?;
    let quick = between(project, QUICK, "# ", " vectors, ")?;
    let every_control = all_controls().len().to_string();
    let cells = between(project, COVERAGE, "", " cells: ")?;
    let by_hand_cells = between(project, COVERAGE, " cells: ", " by hand")?;
    let derived_cells = between(project, COVERAGE, " by hand, ", " by derived")?;
    let reasons = between(project, COVERAGE, "only, ", " with a reason")?;
    let clauses = between(project, WITNESSES, "", " clauses have a witness")?;
    let found = between(project, EXPLORED, "", " mutants found within 10,000 requests")?;
    let machine = Machine::new(LONGEST_S, latest, TargetChoices::default());
    let tests = |depth| grouped(CompleteSuite::new(&machine, Depth(depth)).count());
    let pair = PairMachine::new(latest, TargetChoices::default());
    let pair_tests = grouped(CompleteSuite::new(&pair, Depth(0)).count());
    let pair_inputs = pair.input_count().to_string();
    let covered = |what: &str| {
        let count = |key: String| between(project, CERTIFICATE, &format!("  {key}: "), "");
        Ok::<_, CommandError>(format!("{} of {}", count(format!("{what}-covered"))?, count(what.to_owned())?))
    };
    let transitions = covered("core-transitions")?;
    let figure = |page, words, value: String| Figure { page, words, value };
    Ok(vec![
        figure(README, "| {} single-fault mutants are killed", format!("{killed} of {killable}")),
        figure(README, "and all {} correct variants (controls) pass", controls.to_string()),
        figure(README, "| {} clauses are needed", clauses.clone()),
        figure(README, "vectors reach {} states", covered("states")?),
        figure(README, "states and {} core transitions of", transitions.clone()),
        figure(README, "and {} interleavings of", covered("interleavings")?),
        figure(README, "| all {} written by hand", by_hand.to_string()),
        figure(README, "and all {} derived ones", derived.to_string()),
        figure(README, "they find {} mutants within 10,000", found.replace(" of ", " of the ")),
        figure(README, "plays {} tests for", tests(0)),
        figure(README, "K = 0 and {} for K = 1", tests(1)),
        figure(README, "up to 2 s and {} inputs.", machine.alphabet.inputs.len().to_string()),
        figure(README, "lifetimes of 1 s and {} inputs;", pair_inputs.clone()),
        figure(README, "the only depth, there are {} tests.", pair_tests.clone()),
        figure(TRUST, "distinguishable; {} inputs", pair_inputs),
        figure(TRUST, " inputs and {} tests;", pair_tests),
        figure(TRUST, "| {} tests at depth 0", tests(0)),
        figure(TRUST, "depth 0, {} at depth 1", tests(1)),
        figure(USAGE, "1 vector (of {}) = 1 fail", by_hand.to_string()),
        figure(USAGE, "{} vectors = ", by_hand.to_string()),
        figure(USAGE, "vectors = {} pass + ", apply.to_string()),
        figure(USAGE, " pass + {} not applicable", other_edition.to_string()),
        figure(USAGE, "conformant: {} vectors were judged", format!("{apply} of {by_hand}")),
        figure(USAGE, "Of {} mutants, each that fails is named", all_mutants.to_string()),
        figure(USAGE, "quick` replays {} vectors", quick.replace(" of ", " of the ")),
        figure(TRUST, "/oracles.rs`) | {} by hand", by_hand.to_string()),
        figure(TRUST, " by hand, {} derived |", derived.to_string()),
        figure(TRUST, "all {} controls pass", controls.to_string()),
        figure(TRUST, "and all {} of `cargo lab mutants --controls`", every_control),
        figure(TRUST, "| {} cells: ", cells),
        figure(TRUST, " cells: {} by hand, ", by_hand_cells),
        figure(TRUST, " by hand, {} by derived vectors only", derived_cells),
        figure(TRUST, " by derived vectors only, {} with a reason", reasons),
        figure(TRUST, "one value | {} clauses |", clauses),
        figure(TRUST, "/derived.rs`) | {} of the core, lifetimes up to 2 s", transitions),
        figure(TRUST, "runs of the {} controls and of each mutant", controls.to_string()),
    ])
}

impl Figure {
    /// Returns the page with this value between the words.
    fn put(&self, text: &str) -> Result<String, CommandError> {
        let (before, after) = self.words.split_once("{}").unwrap_or((self.words, ""));
        let mut found = false;
        let lines = text.split_inclusive('\n').map(|line| {
            let place = line.find(after).and_then(|end| {
                let head = line.get(..end)?;
                // What stands there now is a number, or two as in `3 of the 4`.
                let start = if before.is_empty() { 0 } else { head.rfind(before)? + before.len() };
                let is_figure =
                    |c: char| c.is_ascii_digit() || matches!(c, ' ' | ',') || c.is_ascii_lowercase();
                head.get(start..).filter(|value| value.chars().all(is_figure))?;
                Some(start..end)
            });
            let Some(place) = place.filter(|_| !found) else { return line.to_owned() };
            found = true;
            let (head, tail) = (line.get(..place.start), line.get(place.end..));
            [head.unwrap_or_default(), &self.value, tail.unwrap_or_default()].concat()
        });
        let text = lines.collect();
        let what = || format!("{}: no line says `{}`", self.page, self.words.replace("{}", "…"));
        let help = "keep the words around a figure, or change them in `harness/lab/src/figures.rs` too";
        if found { Ok(text) } else { Err(CommandError::usage(what(), help)) }
    }
}

/// Returns the page with the numbers of clauses and vectors at the end of the row of each section.
fn with_sections(text: &str, suite: &Suite) -> String {
    let row = |line: &str| {
        let section = suite
            .catalogue
            .sections
            .iter()
            .find(|section| line.starts_with(&format!("| `{}` |", section.name)))?;
        let vectors = suite.vectors.iter().filter(|vector| vector.section == section.name).count();
        let mut cells: Vec<_> = line.trim_end().split(" | ").map(str::to_owned).collect();
        let last_two = cells.len().checked_sub(2)?;
        cells.truncate(last_two);
        cells.extend([section.clauses.len().to_string(), format!("{vectors} |")]);
        Some(cells.join(" | ") + "\n")
    };
    text.split_inclusive('\n').map(|line| row(line).unwrap_or_else(|| line.to_owned())).collect()
}

/// Returns what a line of a file holds between these words; of several lines the last one counts.
fn between(project: &Path, file: &str, before: &str, after: &str) -> Result<String, CommandError> {
    let text = SOURCE.read(&project.join(file))?.text;
    let value = |line: &str| {
        let (_, rest) = line.split_once(before)?;
        if after.is_empty() { Some(rest.to_owned()) } else { Some(rest.split_once(after)?.0.to_owned()) }
    };
    let what = || format!("{file}: no line says `{before}…{after}`");
    let help = "`cargo lab update --snapshots` writes this file again";
    text.lines().rev().find_map(value).ok_or_else(|| CommandError::usage(what(), help))
}
