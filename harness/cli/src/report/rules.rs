//! The rules on a page, as the target answered: the tables of the model's `SPEC.md`, from the vectors that show each cell.

use anstyle::Style;

use crate::report::groups::FailureGroup;
use crate::report::style::{BAD, DOUBT, GOOD};
use crate::report::summary::{outcome_sign, without_second};
use crate::report::{Case, Outcome, Report, ReportedStep};
use crate::shell::filter::matches;
use cosmos_ttl_harness::describe::listed;
use cosmos_ttl_harness::plain::{cut, visible};
use cosmos_ttl_harness::target::Status;

/// A cell: what the rule says, and the vectors that show it. In a name `*` stands for any characters.
struct Rule {
    says: &'static str,
    judged_by: Answers,
    /// The clause under which the target chooses; then what it chose stands in place of what the rule says.
    open: Option<&'static str>,
    vectors: &'static [&'static str],
}

/// The answers of a vector that are about a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    All,
    /// Those to requests that must be refused: a vector goes on to show that nothing was stored.
    Refusals,
    /// Those that do not show an item: that one is still there is about another rule.
    Absences,
}

struct Table {
    title: &'static str,
    columns: &'static [&'static str],
    rows: &'static [(&'static str, &'static [Rule])],
}

const fn rule(says: &'static str, vectors: &'static [&'static str]) -> Rule {
    Rule { says, judged_by: Answers::All, open: None, vectors }
}

const fn forever(vectors: &'static [&'static str]) -> Rule {
    Rule { judged_by: Answers::Absences, ..rule("forever", vectors) }
}

const fn refused(vectors: &'static [&'static str]) -> Rule {
    Rule { judged_by: Answers::Refusals, ..rule("400", vectors) }
}

const fn open(clause: &'static str, vectors: &'static [&'static str]) -> Rule {
    Rule { open: Some(clause), ..rule("open, here", vectors) }
}

const TABLES: [Table; 5] = [
    Table {
        title: "How long an item lives",
        columns: &["container `defaultTtl`", "item without `ttl`", "item with `ttl` -1", "item with `ttl` m"],
        rows: &[
            (
                "absent (off)",
                &[
                    forever(&["lifetime/off-item-absent"]),
                    forever(&["lifetime/off-item-minus-one"]),
                    forever(&["lifetime/off-item-seconds"]),
                ],
            ),
            (
                "-1",
                &[
                    forever(&["lifetime/minus-one-item-absent", "lifetime/table-minus-one-item-absent"]),
                    forever(&[
                        "lifetime/minus-one-item-minus-one",
                        "lifetime/table-minus-one-item-minus-one",
                    ]),
                    rule("m s", &["lifetime/minus-one-item-seconds", "lifetime/table-minus-one-item-2000"]),
                ],
            ),
            (
                "n",
                &[
                    rule("n s", &["lifetime/default-item-absent", "lifetime/table-1000-item-absent"]),
                    forever(&["lifetime/default-item-minus-one", "lifetime/table-1000-item-minus-one"]),
                    rule("m s", &["lifetime/default-item-shorter", "lifetime/default-item-longer"]),
                ],
            ),
        ],
    },
    Table {
        title: "The values",
        columns: &["value", "`defaultTtl`", "`ttl`"],
        rows: &[
            (
                "absent",
                &[
                    rule("off", &["domain/container-is-off-unless-told-otherwise"]),
                    rule("inherits", &["domain/item-without-ttl-has-no-setting"]),
                ],
            ),
            (
                "null",
                &[
                    open("container-null-at-creation", &["domain/container-null-at-creation"]),
                    refused(&["domain/item-null-by-*"]),
                ],
            ),
            (
                "-1",
                &[
                    rule("on, no default", &["domain/container-minus-one-is-not-off"]),
                    forever(&["domain/item-minus-one", "domain/item-minus-one-by-patch-and-batch"]),
                ],
            ),
            (
                "1 to 2147483647",
                &[
                    rule("that many seconds", &["domain/container-one-second", "domain/container-maximum*"]),
                    rule("that many seconds", &["domain/item-one-second", "domain/item-maximum*"]),
                ],
            ),
            ("0", &[refused(&["domain/container-zero-*"]), refused(&["domain/item-zero-by-*"])]),
            (
                "below -1",
                &[refused(&["domain/container-below-*"]), refused(&["domain/item-below-minus-one-by-*"])],
            ),
            (
                "above 2147483647",
                &[refused(&["domain/container-above-*"]), refused(&["domain/item-above-maximum-by-*"])],
            ),
            (
                "10.0",
                &[
                    open("item-integral-fraction", &["domain/container-two-in-disguise-*"]),
                    open("item-integral-fraction", &["domain/item-integral-fraction-*"]),
                ],
            ),
            (
                "\"10\", true",
                &[
                    refused(&["domain/container-text-*", "domain/container-truth-*"]),
                    refused(&["domain/item-text-by-*"]),
                ],
            ),
            (
                "1.5, [], {}",
                &[
                    refused(&["domain/container-part-*", "domain/container-fraction-*"]),
                    refused(&["domain/item-part-or-fraction-by-*"]),
                ],
            ),
            (
                "a wrong value while off",
                &[
                    refused(&["domain/container-rejected-stays-off"]),
                    open("item-invalid-while-off", &["domain/item-*-while-off"]),
                ],
            ),
        ],
    },
    Table {
        title: "What restarts the count",
        columns: &["request", "the count"],
        rows: &[
            (
                "replace",
                &[rule("restarts", &["writes/replace-restarts", "writes/conditional-replace-restarts"])],
            ),
            ("upsert", &[rule("restarts", &["writes/upsert-restarts"])]),
            ("patch", &[rule("restarts", &["writes/patch-restarts", "writes/conditional-patch-restarts"])]),
            ("the same content again", &[rule("restarts", &["writes/identical-*"])]),
            ("a write in a batch", &[rule("restarts", &["writes/batched-*-restarts"])]),
            (
                "read, query, list, count",
                &[rule(
                    "goes on",
                    &[
                        "writes/point-read-*",
                        "writes/query-*",
                        "writes/list-*",
                        "writes/count-*",
                        "writes/read-in-a-batch-*",
                    ],
                )],
            ),
            (
                "a write that is refused",
                &[rule("goes on", &["writes/failed-*", "writes/conflict-does-not-restart"])],
            ),
            ("a batch that is aborted", &[rule("goes on", &["writes/aborted-batch-*"])]),
        ],
    },
    Table {
        title: "At the deadline",
        columns: &["what a client does", "the answer"],
        rows: &[
            ("anything, in the second before", &[rule("visible", &["clock/last-second-for-writes"])]),
            (
                "looks in every second",
                &[rule("visible up to the deadline, not from then on", &["clock/every-second-*"])],
            ),
            ("read", &[rule("not found", &["expired/read", "clock/hidden-from-reads-at-once"])]),
            (
                "query, list",
                &[rule(
                    "without it",
                    &["expired/query", "expired/list", "clock/hidden-from-queries-at-once"],
                )],
            ),
            ("count", &[open("expired-in-aggregates", &["expired/count"])]),
            ("create", &[rule("created", &["expired/create-*"])]),
            ("upsert", &[open("expired-upsert-status", &["expired/upsert"])]),
            ("replace", &[rule("not found", &["expired/replace*"])]),
            ("patch", &[rule("not found", &["expired/patch*"])]),
            ("delete", &[rule("not found", &["expired/delete"])]),
            ("a write under a condition", &[open("expired-precondition", &["expired/conditional-*"])]),
            ("batch", &[rule("aborted, not found", &["expired/batch-with-a-*"])]),
        ],
    },
    Table {
        title: "When the settings change",
        columns: &["change", "items"],
        rows: &[
            ("on, over old items", &[rule("count from their last write", &["settings/switched-on-for-*"])]),
            ("a longer default", &[rule("live longer", &["settings/raised", "settings/raised-for-*"])]),
            ("a shorter default", &[rule("are gone at once", &["settings/lowered-for-*"])]),
            ("off, in time", &[rule("live on", &["settings/default-to-off", "settings/minus-one-to-off"])]),
            ("off and on, in time", &[rule("keep their count", &["settings/off-and-on-*"])]),
            ("off, after the deadline", &[open("reappearance", &["settings/*expired-then-off"])]),
        ],
    },
];

/// One table, as the target answered.
pub(crate) struct RuleTable {
    pub(crate) title: &'static str,
    pub(crate) columns: &'static [&'static str],
    pub(crate) rows: Vec<(&'static str, Vec<Answer>)>,
}

/// A cell, as the target answered.
pub(crate) struct Answer {
    /// What the rule says.
    pub(crate) says: &'static str,
    /// What else there is to say; not there where the target does what the rule says.
    pub(crate) seen: Option<String>,
    kind: Kind,
}

/// How an answer compares to the rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is what the rule says, or one of the values that it leaves open.
    Alike,
    /// It differs.
    Differs,
    /// No vector was asked that shows it.
    Unasked,
    /// Nothing was judged, or what differs comes from a mistake against another rule.
    Unseen,
}

/// Returns the rules as the target answered, without the rows of which nothing was asked.
pub(crate) fn rules(report: &Report) -> Vec<RuleTable> {
    let groups = report.failure_groups();
    let cells = |cells: &[Rule]| cells.iter().map(|rule| answer(report, &groups, rule)).collect();
    let is_asked = |(_, answers): &(&str, Vec<Answer>)| answers.iter().any(|one| one.kind != Kind::Unasked);
    let table = |table: &Table| RuleTable {
        title: table.title,
        columns: table.columns,
        rows: table.rows.iter().map(|(label, rules)| (*label, cells(rules))).filter(is_asked).collect(),
    };
    TABLES.iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

fn answer(report: &Report, groups: &[FailureGroup<'_>], rule: &Rule) -> Answer {
    let said = |kind, seen| Answer { says: rule.says, seen, kind };
    let cases: Vec<_> = report.cases.iter().filter(|case| rule.is_shown_by(&case.name)).collect();
    let (wrong, others): (Vec<_>, Vec<_>) = cases.iter().copied().partition(|case| rule.is_broken_by(case));
    // A mistake that breaks none of the clauses of a vector hides what the vector asks.
    let hides = |group: &FailureGroup<'_>, case: &Case| {
        group.mutant.is_some()
            && !group.clauses().iter().any(|id| case.clauses.iter().any(|cited| cited == id))
            && group.cases.iter().any(|one| one.name == case.name)
    };
    let shown = wrong.iter().find(|case| !groups.iter().any(|group| hides(group, case)));
    if let Some(case) = shown {
        let of = cases.len();
        let how =
            if wrong.len() < of { format!(", in {} of {of} vectors", wrong.len()) } else { String::new() };
        return said(Kind::Differs, Some(differing(case) + &how));
    }
    if let Some(case) = wrong.first() {
        return said(Kind::Unseen, Some(format!("{}, by another mistake", differing(case))));
    }
    if others.iter().any(|case| rule.is_answered_by(case)) {
        return said(Kind::Alike, rule.open.and_then(|clause| chosen(report, clause)));
    }
    if cases.is_empty() {
        return said(Kind::Unasked, Some("not asked".into()));
    }
    let why = others.iter().find(|case| case.failure.is_none()).map_or_else(
        || "hidden by another mistake".into(),
        |case| format!("not judged: {}", without_second(case.why().unwrap_or_default())),
    );
    said(Kind::Unseen, Some(why))
}

/// `at 4 s, read a: not-found`: the answer that is not as expected.
fn differing(case: &Case) -> String {
    let wrong = case.steps.iter().find(|step| step.as_expected == Some(false));
    let told = |step: &ReportedStep| {
        format!("at {} s, {}: {}", step.at_s, step.asked, step.answered.as_deref().unwrap_or_default())
    };
    wrong.map(told).unwrap_or_default()
}

fn must_be_refused(step: &ReportedStep) -> bool {
    step.expected == Status::BadRequest.word()
}

/// Whether an item is not in the answer that must be.
fn is_without_item(step: &ReportedStep) -> bool {
    let answered = step.answered.as_deref().unwrap_or_default();
    match (listed(&step.expected), listed(answered)) {
        (Some(expected), Some(got)) => !expected.is_subset(&got),
        _ => answered == Status::NotFound.word(),
    }
}

/// The values that the target chose.
fn chosen(report: &Report, clause: &str) -> Option<String> {
    let clause = report.clause(clause)?;
    let values: Vec<_> = clause.seen().map(|seen| seen.value.as_str()).collect();
    (!values.is_empty()).then(|| values.join(" or "))
}

impl Rule {
    /// Whether the vector's answers contradict the rule.
    fn is_broken_by(&self, case: &Case) -> bool {
        let contradicts = |step: &ReportedStep| match self.judged_by {
            Answers::All => true,
            Answers::Refusals => must_be_refused(step),
            Answers::Absences => is_without_item(step),
        };
        let mut differing = case.steps.iter().filter(|step| step.as_expected == Some(false));
        case.failure.is_some() && differing.any(contradicts)
    }

    /// Whether the vector came to its question, and the answers were right.
    fn is_answered_by(&self, case: &Case) -> bool {
        let is_refused = |step: &ReportedStep| must_be_refused(step) && step.as_expected == Some(true);
        let was_asked = self.judged_by == Answers::Refusals && case.steps.iter().any(is_refused);
        case.verdict == Outcome::Pass || was_asked
    }

    fn is_shown_by(&self, name: &str) -> bool {
        self.vectors.iter().any(|pattern| matches(pattern, name))
    }
}

/// Returns the rules as Markdown. What differs from them is marked.
pub fn rules_markdown(report: &Report) -> String {
    let mut page = format!(
        "# Time to live, as {} answers\n\n✗ marks what differs from the rule, and ? what was not seen. The run: {}\n",
        code(&report.who(str::to_owned)),
        code(&report.sum()),
    );
    for table in rules(report) {
        let (names, line) = (table.columns.join(" | "), "|---".repeat(table.columns.len()));
        page.extend([format!("\n## {}\n\n| {names} |\n{line}|\n", table.title)]);
        for (label, answers) in table.rows {
            let cells: Vec<_> = answers.iter().map(Answer::markdown).collect();
            page.extend([format!("| {label} | {} |\n", cells.join(" | "))]);
        }
    }
    page
}

/// Text from a target as code in a cell of a table: bounded, on one line, and without what ends code or a cell.
fn code(text: &str) -> String {
    format!("`{}`", cut(&visible(text), 200).replace('`', "'").replace('|', "\\|"))
}

impl Answer {
    fn markdown(&self) -> String {
        match &self.seen {
            Some(seen) => format!("{} {} {}", self.says, self.sign(), code(seen)).replace("  ", " "),
            None => self.says.into(),
        }
    }

    /// Whether the target contradicts the rule.
    pub(crate) fn differs(&self) -> bool {
        self.kind == Kind::Differs
    }

    /// The sign before what was seen.
    pub(crate) fn sign(&self) -> &'static str {
        match self.kind {
            Kind::Alike => "",
            Kind::Differs => outcome_sign(Outcome::Fail).0,
            Kind::Unseen | Kind::Unasked => outcome_sign(Outcome::Inconclusive).0,
        }
    }

    /// The style of what was seen.
    pub(crate) fn style(&self) -> Style {
        match self.kind {
            Kind::Alike => GOOD,
            Kind::Differs => BAD,
            Kind::Unseen | Kind::Unasked => DOUBT,
        }
    }
}
