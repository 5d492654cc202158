//! `cargo lab soundness`: how often a run on a real clock says what is wrong, in each class of adversity.

use std::ops::Range;

use cosmos_ttl::report::style::Align::{Left, Right};
use cosmos_ttl::report::style::{BOLD, RenderOptions, headed_table, styled, wrapped};
use cosmos_ttl::shell::{CommandError, Output, filter};
use cosmos_ttl_harness::vector::{Vector, embedded};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_testing::simulation::bounds::{Class, classes};
use cosmos_ttl_testing::simulation::soundness::{Row, Simulated, row, run_faulty, run_right, seeds_for};
use cosmos_ttl_testing::simulation::stores::{EXCLUDED, Stores, VECTORS};
use wildmatch::WildMatch;

use crate::args::SoundnessArgs;
use crate::report_text::{ending, grouped, takes_none};

const ACCEPTED: &str = "\
a filter is a class of adversity; `*` stands for any characters
`cargo lab soundness --runs 1` lists the classes";

pub(crate) fn soundness(args: &SoundnessArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let picked = pick(&args.classes)?;
    let suite = embedded()?;
    let stores = Stores::new(&suite);
    let seeds = args.seed.map_or(0..seeds_for(args.runs), |seed| seed..seed.saturating_add(1));
    let rows: Vec<_> = picked.iter().map(|class| row(&stores, class, seeds.clone())).collect();
    let mut missing: Vec<String> = rows.iter().flat_map(Row::violations).collect();
    if args.seed.is_none() {
        missing.extend(rows.iter().flat_map(Row::idle));
    }
    let mut lines = head(&stores, &seeds, look);
    lines.extend(table(&rows, look));
    if let Some(seed) = args.seed {
        lines.extend(vectors(&stores, &picked, seed, look));
    }
    lines.extend(wrong(&rows, look));
    lines.push(String::new());
    lines.extend(ending(&missing, &summary(&rows), look));
    Ok(Output { text: lines.join("\n") + "\n", code: u8::from(!missing.is_empty()) })
}

fn pick(words: &[String]) -> Result<Vec<&'static Class>, CommandError> {
    let all: Vec<_> = classes().collect();
    let takes = |word: &str, class: &'static Class| WildMatch::new(word).matches(class.name);
    let known = || classes().map(|class| class.name);
    filter::pick(&all, words, takes, |word| takes_none(word, ["matches no class", ACCEPTED], known()))
}

fn head(stores: &Stores<'_>, seeds: &Range<u64>, look: RenderOptions) -> Vec<String> {
    let title = styled(BOLD, "What runs on a real clock say, over simulated networks and clocks");
    let last = seeds.end.saturating_sub(1);
    let drawn = format!(
        "Seeds {} to {last} of each class, two runs for each: a control, and one of {} mutants. {} of {} vectors in each run. \
         {} mutants cannot be noticed within the budget of a run.",
        seeds.start,
        stores.faulty.len(),
        VECTORS,
        stores.vectors.len(),
        EXCLUDED.len(),
    );
    vec![title, wrapped(&drawn, look.width, ""), String::new()]
}

const LEGEND: &str = "
 false fails  vectors that fail a control
false passes  runs that find a mutant conformant, which is nonconformant on the calm network
      missed  single vectors that pass a mutant, which they fail on the calm network
inconclusive  of the vectors of the controls
        time  of the runs of the controls, in parts of their longest vectors";

fn table(rows: &[Row], look: RenderOptions) -> Vec<String> {
    let columns = [
        ("class", Left),
        ("runs", Right),
        ("false fails", Right),
        ("false passes", Right),
        ("missed", Right),
        ("inconclusive", Right),
        ("time", Right),
        ("what happens", Left),
    ];
    let cells = |row: &Row| {
        let permille = row.inconclusive_permille();
        vec![
            format!("  {}", row.class),
            row.runs.to_string(),
            row.false_fails.to_string(),
            row.false_passes.to_string(),
            row.missed.to_string(),
            format!("{}.{} %", permille / 10, permille % 10),
            format!("{}.{:02}", row.time_percent / 100, row.time_percent % 100),
            row.says.to_owned(),
        ]
    };
    let group = |within| rows.iter().filter(|row| row.within_bounds == within).map(cells).collect();
    let groups = [("within the bounds", group(true)), ("outside the bounds", group(false))];
    let mut lines = grouped(&columns, groups.into_iter(), look);
    lines.push(LEGEND.into());
    lines
}

/// Shows the verdicts of the two runs of a seed, vector by vector.
fn vectors(stores: &Stores<'_>, picked: &[&Class], seed: u64, look: RenderOptions) -> Vec<String> {
    let mut lines = Vec::new();
    for class in picked {
        for run in [run_right(stores, class, seed), run_faulty(stores, class, seed)] {
            let calm = run.calm.iter().map(|calm| ("calm", &**calm));
            for (class, run) in [(class.name, &run)].into_iter().chain(calm) {
                let head = format!("mutant:{}, {class}: {}", run.store, run.conclusion.word());
                lines.extend([String::new(), head]);
                lines.extend(outcomes(run, look));
            }
        }
    }
    lines
}

fn outcomes(run: &Simulated<'_>, look: RenderOptions) -> Vec<String> {
    let cells = |(vector, outcome, reason): &(&Vector, Outcome, String)| {
        vec![format!("  {}", vector.name), outcome.word().to_owned(), reason.clone()]
    };
    let columns = [("  vector", Left), ("outcome", Left), ("why", Left)];
    headed_table(&columns, run.results.iter().map(cells).collect(), look.table_width)
}

fn wrong(rows: &[Row], look: RenderOptions) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows.iter().filter(|row| !row.wrong.is_empty()) {
        lines.extend([
            String::new(),
            styled(BOLD, format!("{}: {} wrong verdicts", row.class, row.wrong.len())),
        ]);
        for wrong in row.wrong.iter().take(look.most) {
            let vector = wrong.vector.as_deref().unwrap_or("the run");
            let said = format!("  mutant:{}, {vector}: {}", wrong.store, wrong.said);
            lines.push(wrapped(&said, look.width, "    "));
            lines.push(format!("    again: cargo lab soundness --seed {} {}", wrong.seed, row.class));
        }
    }
    lines
}

/// `20032 runs · 28 of 28 classes within the bounds without a wrong verdict · …`
fn summary(rows: &[Row]) -> String {
    let runs: usize = rows.iter().map(|row| row.runs).sum();
    let right = |row: &&Row| row.violations().is_empty();
    let group = |within, says: &str| {
        let rows: Vec<_> = rows.iter().filter(|row| row.within_bounds == within).collect();
        let good = rows.iter().copied().filter(right).count();
        (!rows.is_empty()).then(|| format!("{good} of {} classes {says}", rows.len()))
    };
    let parts = [
        Some(format!("{runs} runs")),
        group(true, "within the bounds without a false fail or a false pass"),
        group(false, "outside say so"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
