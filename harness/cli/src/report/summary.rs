//! Texts for all renderers: signs, sentences, groups and lists, computed once from a report.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;

use crate::report::groups::FailureGroup;
use crate::report::style::{BAD, DIM, DOUBT, GOOD};
use crate::report::{
    Case, ChosenValue, Counts, MutantDiagnosis, MutantLikeness, Report, ReportedClause, Scope, TestedTarget,
    spoken,
};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::evidence::Evidence;
use cosmos_ttl_harness::plain::cut;
use cosmos_ttl_harness::run::Conclusion;
use cosmos_ttl_harness::verdict::Outcome::{
    self, Broken, ChangedFailure, Differ, Fail, Inconclusive, KnownFailure, NotApplicable, NotOffered,
    NotRun, Pass, UnexpectedPass, Unsupported,
};

/// The style of a terminal as a class of a page.
pub(crate) fn class(style: Style) -> &'static str {
    match style {
        GOOD => "good",
        BAD => "bad",
        DOUBT => "doubt",
        _ => "dim",
    }
}

pub(crate) fn outcome_sign(outcome: Outcome) -> (&'static str, Style) {
    match outcome {
        Pass => ("✓", GOOD),
        Fail | ChangedFailure => ("✗", BAD),
        UnexpectedPass | Broken => ("!", BAD),
        Differ | KnownFailure => ("~", DOUBT),
        Inconclusive | NotRun => ("?", DOUBT),
        Unsupported | NotApplicable | NotOffered => ("·", DIM),
    }
}

pub(crate) fn clause_sign(clause: &ReportedClause) -> (&'static str, Style) {
    let counts = &clause.counts;
    match () {
        () if clause.is_suspect() => ("?", DOUBT),
        () if counts.fail > 0 || counts.unexpected_pass > 0 || counts.changed_failure > 0 => ("✗", BAD),
        () if counts.broken > 0 => ("!", BAD),
        () if counts.differ > 0 => ("~", DOUBT),
        () if counts.known_failure > 0 => ("k", DOUBT),
        () if counts.inconclusive > 0 || counts.not_run > 0 => ("?", DOUBT),
        () if counts.judged() == 0 => ("·", DIM),
        () => ("✓", GOOD),
    }
}

pub(crate) fn conclusion_sign(word: &str) -> (&'static str, Style) {
    match Conclusion::of_words(word) {
        Some(Conclusion::Conformant | Conclusion::NoFailure) => ("✓", GOOD),
        Some(Conclusion::AsKnown) => ("~", DOUBT),
        Some(Conclusion::Undecided) => ("?", DOUBT),
        Some(Conclusion::Broke) => ("!", BAD),
        Some(Conclusion::Nonconformant) | None => ("✗", BAD),
    }
}

pub(crate) fn present(counts: &Counts) -> impl Iterator<Item = (Outcome, usize)> {
    Outcome::ALL.into_iter().map(|outcome| (outcome, counts.get(outcome))).filter(|(_, count)| *count > 0)
}

/// `1 fail, 2 unsupported`: of these outcomes, those that there are.
pub(crate) fn in_words(counts: &Counts, between: &str, outcomes: &[Outcome]) -> String {
    let shown = present(counts).filter(|(outcome, _)| outcomes.contains(outcome));
    shown.map(|(outcome, count)| format!("{count} {outcome}")).collect::<Vec<_>>().join(between)
}

/// `a, b and 3 more`: the first of many, and how many more there are.
pub(crate) fn first_of<S: AsRef<str>>(all: &[S], most: usize, between: &str, more: &str) -> String {
    let shown: Vec<_> = all.iter().take(most).map(AsRef::as_ref).collect();
    match all.len() - shown.len() {
        0 => shown.join(between),
        left => format!("{}{}", shown.join(between), more.replace("{}", &left.to_string())),
    }
}

/// The first twenty sentences of a list that may be endless.
pub(crate) fn first_sentences(all: &[String], between: &str) -> String {
    first_of(all, 20, between, &format!("{between}and {{}} more"))
}

impl TestedTarget {
    /// Returns what to do with this target once it is conformant.
    fn next_checks(&self) -> Vec<(&'static str, String)> {
        let random = "send random requests, and compare each answer with the model";
        match &self.command {
            Some(command) => vec![(random, format!("cosmos-ttl explore -- {command}"))],
            None if self.asked == "reference" => vec![
                ("check the rules themselves in every reachable state", "cargo lab check".into()),
                ("replay the vectors against your endpoint", "cosmos-ttl run URL".into()),
            ],
            None if self.clock == "real" => vec![(
                "replay random requests, too",
                spoken("cosmos-ttl run --random 100", [self.asked.as_str()]),
            )],
            None => vec![(random, spoken("cosmos-ttl explore", [self.asked.as_str()]))],
        }
    }
}

impl Case {
    /// The section; `None` of a name without one.
    pub(crate) fn section(&self) -> Option<&str> {
        self.name.split_once('/').map(|(section, _)| section)
    }

    /// The signature of a failure, else the reason; `None` of a pass.
    pub(crate) fn why(&self) -> Option<&str> {
        self.failure.as_ref().map(|failure| failure.signature.as_str()).or(self.reason.as_deref())
    }

    /// Returns the clauses of which its failure speaks against one; all that it cites, if it does not fail.
    pub(crate) fn accused(&self) -> &[String] {
        self.failure.as_ref().map_or(&self.clauses, |failure| &failure.accused)
    }

    /// Returns how to read the clauses after its failure, where it does not speak against a single one.
    pub(crate) fn accusation(&self) -> Option<&'static str> {
        match self.failure.as_ref()?.accused.len() {
            0 => Some("it speaks against no clause, because a request fails that sets the vector up"),
            1 => None,
            _ => Some("it speaks against one of these clauses"),
        }
    }

    /// Why it has its outcome, in a line; `None` of a pass.
    pub(crate) fn message(&self) -> Option<String> {
        let why = self.why().unwrap_or_default();
        let listed = || self.known.as_ref().map_or("", |known| &known.reason);
        let told = match self.verdict {
            Pass => return None,
            Differ => format!("differs from a should: {why}"),
            KnownFailure => format!("known: {}", listed()),
            UnexpectedPass => {
                format!("passes, but is on the list of known failures: {}", listed())
            }
            ChangedFailure => {
                let other = self.known.as_ref().and_then(|known| known.signature.as_deref());
                format!("{why}; the list of known failures says: {}", other.unwrap_or("another failure"))
            }
            _ => return self.why().map(str::to_owned),
        };
        Some(told)
    }

    /// The requests that were answered, up to the one that failed, one line each.
    pub(crate) fn so_far(&self) -> Vec<String> {
        let last = self.failure.as_ref().map_or(usize::MAX, |failure| failure.step);
        let steps = self.steps.iter().take(last.saturating_add(1));
        describe::lines(steps.filter_map(|step| Some((step.at_s, &step.asked, step.answered.as_ref()?))))
    }
}

impl ReportedClause {
    pub(crate) fn seen(&self) -> impl Iterator<Item = &ChosenValue> {
        self.choices.iter().filter(|choice| choice.seen > 0)
    }

    /// Whether failures speak against it, and each of them perhaps against another clause instead.
    pub(crate) fn is_suspect(&self) -> bool {
        let Counts { fail, differ, unexpected_pass, changed_failure, broken, .. } = self.counts;
        self.shared > 0 && fail + differ == self.shared && unexpected_pass + changed_failure + broken == 0
    }

    /// Returns how many vectors cite it.
    pub(crate) fn cited(&self) -> usize {
        self.counts.vectors.saturating_add(self.not_asked)
    }

    /// `1 fail, 2 not asked`: of the vectors that cite it, what became of those that do not pass.
    pub(crate) fn others(&self) -> String {
        let shared = (self.shared > 0).then(|| format!("{} against one of several clauses", self.shared));
        let not_asked = (self.not_asked > 0).then(|| format!("{} not judged", self.not_asked));
        let outcomes = in_words(&self.counts, ", ", &Outcome::ALL[1..]);
        let parts: Vec<_> =
            [outcomes].into_iter().filter(|words| !words.is_empty()).chain(shared).chain(not_asked).collect();
        parts.join(", ")
    }

    /// The clause in one line, `gone-at-deadline (must, documented): …`, and a line for each contradiction of its sources.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let says = format!("{} ({}, {}): {}", self.id, self.level, self.evidence, self.says);
        [says].into_iter().chain(self.contradictions.iter().cloned())
    }
}

pub(crate) fn diagnosis_head(diagnosis: &MutantDiagnosis) -> &'static str {
    match (diagnosis.like.len(), diagnosis.together) {
        (0, _) => "No mutant explains these failures",
        (_, true) => "The target behaves as if it had several mistakes",
        (_, false) => "The target behaves like",
    }
}

/// `This run cannot tell it from mutant:a, mutant:b`; `None` where it can.
pub(crate) fn diagnosis_also(like: &MutantLikeness) -> Option<String> {
    let names: Vec<_> = like.also.iter().map(|name| format!("mutant:{name}")).collect();
    (!names.is_empty()).then(|| format!("in this run the same as {}", names.join(", ")))
}

/// `fails 12 of the same 13 vectors, 11 in the same way, and 2 others`
pub(crate) fn diagnosis_figures(diagnosis: &MutantDiagnosis, like: &MutantLikeness) -> String {
    let MutantLikeness { fails, same, alike, .. } = like;
    let which = match (*same == diagnosis.failed, diagnosis.failed) {
        (true, 1) => "fails the same vector".into(),
        (true, failed) => format!("fails the same {failed} vectors"),
        (false, failed) => format!("fails {same} of the same {failed} vectors"),
    };
    let how = if alike == same { ", in the same way".into() } else { format!(", {alike} in the same way") };
    match fails.saturating_sub(*same) {
        0 => which + &how,
        1 => which + &how + ", and 1 other",
        others => format!("{which}{how}, and {others} others"),
    }
}

pub(crate) fn diagnosis_tail(diagnosis: &MutantDiagnosis) -> Vec<String> {
    let more = (diagnosis.more > 0).then(|| format!("and {} more that match as well", diagnosis.more));
    let rest = match diagnosis.unexplained {
        0 => None,
        _ if diagnosis.like.is_empty() => None,
        1 => Some("no mutant explains 1 of these failures".into()),
        rest => Some(format!("no mutant explains {rest} of these failures")),
    };
    more.into_iter().chain(rest).collect()
}

impl Report {
    /// The outcomes that have a column in a table of sections.
    pub(crate) fn columns(&self) -> Vec<Outcome> {
        let shown = |outcome: &Outcome| matches!(outcome, Pass | Fail) || self.counts.get(*outcome) > 0;
        Outcome::ALL.into_iter().filter(shown).collect()
    }

    pub(crate) fn grouped(
        &self,
        outcome: Outcome,
        reason: impl Fn(&Case) -> String,
    ) -> Vec<(String, Vec<&Case>)> {
        let mut groups: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
        for case in self.cases(outcome) {
            groups.entry(reason(case)).or_default().push(case);
        }
        groups.into_iter().collect()
    }

    /// The target in a few words, of which each is shown so.
    pub(crate) fn who(&self, shown: impl Fn(&str) -> String) -> String {
        let name = shown(&self.target.name);
        match self.target.version.as_str() {
            "" | "unknown" => name,
            version => format!("{name} {}", shown(version)),
        }
    }

    /// `all 227`, or `12 of 227 (FILTERS)`, where the filters are shown so.
    pub(crate) fn selected(&self, shown: impl Fn(&str) -> String) -> String {
        match (self.vectors.all, self.vectors.filters.as_slice()) {
            (all, []) => format!("all {all}"),
            (all, filters) => format!("{} of {all} ({})", self.counts.vectors, shown(&filters.join(", "))),
        }
    }

    pub(crate) fn list(&self) -> &str {
        self.known.as_deref().unwrap_or("the list of known failures")
    }

    /// Returns, for example: `227 vectors = 226 pass + 1 fail`
    pub(crate) fn sum(&self) -> String {
        let all = self.vectors.all;
        let selected = if self.counts.vectors < all { format!(" (of {all})") } else { String::new() };
        let parts = match in_words(&self.counts, " + ", &Outcome::ALL) {
            parts if parts.is_empty() => "nothing".into(),
            parts => parts,
        };
        format!("{}{selected} = {parts}", vectors(self.counts.vectors))
    }

    pub(crate) fn sentence(&self) -> String {
        let counts = &self.counts;
        match self.concluded() {
            Some(Conclusion::Conformant) => self.conformant(),
            Some(Conclusion::NoFailure) => self.no_failure(),
            Some(Conclusion::Nonconformant) => self.nonconformant(),
            Some(Conclusion::AsKnown) => {
                let (some, of, list) = (counts.known_failure, counts.judged(), self.list());
                format!("{some} of {of} judged vectors fail as {list} says; this is not conformant")
            }
            Some(Conclusion::Broke) if counts.broken == 0 && counts.not_run == 0 => {
                "the target broke between vectors, so its verdicts cannot be trusted".into()
            }
            Some(Conclusion::Broke) => {
                // Where it broke before it was opened, no vector was run.
                let broken = vectors(if counts.broken == 0 { counts.not_run } else { counts.broken });
                let why = "because the target or the connection broke";
                format!("{broken} could not be judged, {why}")
            }
            Some(Conclusion::Undecided) | None if counts.judged() == 0 => "no vector could be judged".into(),
            Some(Conclusion::Undecided) | None => {
                let mut open = counts.inconclusive.saturating_add(counts.not_run);
                if self.vectors.scope == Scope::Selected {
                    open = open.saturating_add(counts.unsupported).saturating_add(counts.not_applicable);
                }
                let open = (open > 0).then(|| format!("{} could not be judged", vectors(open)));
                let what: Vec<_> =
                    open.into_iter().chain(self.undeclared_words()).chain(self.unjudged_words()).collect();
                format!("nothing failed, but {}", what.join(", and "))
            }
        }
    }

    fn concluded(&self) -> Option<Conclusion> {
        Conclusion::of_words(&self.conclusion)
    }

    /// Returns, for example: `the target does not support patch, which nobody declared`
    pub(crate) fn undeclared_words(&self) -> Option<String> {
        let parts: Vec<_> = self.missing.iter().map(|part| part.word()).collect();
        (!parts.is_empty())
            .then(|| format!("the target does not support {}, which nobody declared", parts.join(", ")))
    }

    /// Returns, for example: `for 2 clauses no vector was judged: a, b`
    fn unjudged_words(&self) -> Option<String> {
        let clauses = match self.unjudged.len() {
            0 => return None,
            1 => "for 1 clause".into(),
            count => format!("for {count} clauses"),
        };
        let names = first_of(&self.unjudged, 5, ", ", " and {} more");
        Some(format!("{clauses} no vector was judged: {names}"))
    }

    /// Why clauses were not judged, and what to do, most clauses first: one line for each reason.
    pub(crate) fn unjudged_lines(&self, most: usize) -> Vec<String> {
        let mut groups: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for one in &self.unjudged_reasons {
            let key = (without_second(&one.reason), one.help.as_str());
            groups.entry(key).or_default().push(&one.clause);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, clauses)| Reverse(clauses.len()));
        let line = |((reason, help), clauses): &((&str, &str), Vec<&str>)| {
            let names = first_of(clauses, 10, ", ", " and {} more");
            cut(&format!("{names}: {reason}; {help}"), 500)
        };
        let rest = groups.len().saturating_sub(most);
        let more = (rest > 0).then(|| format!("and {rest} more reasons, which report.json names"));
        groups.iter().take(most).map(line).chain(more).collect()
    }

    fn no_failure(&self) -> String {
        let count = self.counts.pass;
        let (what, passes) = match (self.vectors.scope, count) {
            (Scope::Quick | Scope::Soak, _) => (vectors(count), if count == 1 { "passes" } else { "pass" }),
            (_, 1) => ("1 selected vector".into(), "passes"),
            (_, some) => (format!("{some} selected vectors"), "pass"),
        };
        self.with_exceptions(format!("{what} {passes}; this says nothing about conformance"))
    }

    fn conformant(&self) -> String {
        let counts = &self.counts;
        let text = if counts.vectors == self.vectors.all && counts.judged() == counts.vectors {
            "every vector passes".to_owned()
        } else {
            format!("{} of {} were judged, and none failed", counts.judged(), vectors(self.vectors.all))
        };
        self.with_exceptions(text)
    }

    /// Adds the vectors that differ, and those that need what is not offered.
    fn with_exceptions(&self, text: String) -> String {
        let counts = &self.counts;
        let parts: Vec<&str> = self.without.iter().map(|part| part.word()).collect();
        let parts = match first_of(&parts, 4, ", ", " and {} more") {
            parts if parts.is_empty() => parts,
            parts => format!(": {parts}"),
        };
        let text = match counts.not_offered {
            0 => text,
            1 => format!("{text}; 1 vector needs what is not offered{parts}"),
            some => format!("{text}; {some} vectors need what is not offered{parts}"),
        };
        if counts.differ == 0 {
            return text;
        }
        let differ = vectors(counts.differ) + if counts.differ == 1 { " differs" } else { " differ" };
        format!("{text}; {differ} from a `should` (a failure under --strict)")
    }

    fn nonconformant(&self) -> String {
        let counts = &self.counts;
        let wrong = match (counts.fail, counts.differ) {
            (1.., _) => Some((Fail, "fail")),
            (0, 1..) if self.strict => Some((Differ, "differ from a `should`")),
            _ => None,
        };
        let wrong = wrong.map(|(outcome, wrong)| {
            let (some, of, causes) = (counts.get(outcome), counts.judged(), self.causes(outcome));
            let against = self.weighed(outcome).map(|clauses| format!("; it breaks {clauses}"));
            format!("{causes}; {some} of {of} vectors {wrong}{}", against.unwrap_or_default())
        });
        let unlike = in_words(counts, ", ", &[UnexpectedPass, ChangedFailure]);
        let stale = match self.stale.len() {
            0 => String::new(),
            1 => "1 stale entry".into(),
            entries => format!("{entries} stale entries"),
        };
        let unlike: Vec<_> = [unlike, stale].into_iter().filter(|words| !words.is_empty()).collect();
        let unlike =
            (!unlike.is_empty()).then(|| format!("{} is out of date: {}", self.list(), unlike.join(", ")));
        wrong.into_iter().chain(unlike).collect::<Vec<_>>().join("; ")
    }

    /// The causes of the vectors with this outcome, that of most vectors first.
    fn groups_of(&self, outcome: Outcome) -> Vec<FailureGroup<'_>> {
        let mut groups = self.failure_groups();
        groups.retain(|group| group.cases.iter().any(|case| case.verdict == outcome));
        groups.sort_by_key(|group| Reverse(group.cases.len()));
        groups
    }

    /// The number of causes of the vectors with this outcome, and the causes, that of most vectors first.
    fn causes(&self, outcome: Outcome) -> String {
        let causes: Vec<_> = self.groups_of(outcome).iter().map(FailureGroup::told).collect();
        let number = if causes.len() == 1 { "1 cause".into() } else { format!("{} causes", causes.len()) };
        format!("{number}: {}", first_of(&causes, 3, "; ", "; and {} more"))
    }

    /// The clauses that are broken for certain, by failures with such an outcome: those of a mutant that explains a failure, or
    /// the only one that a failure speaks against.
    pub(crate) fn broken_clauses(&self, counts: impl Fn(Outcome) -> bool) -> BTreeSet<&str> {
        let mut broken = BTreeSet::new();
        for group in self.failure_groups() {
            let mut cases = group.cases.iter().filter(|case| counts(case.verdict)).peekable();
            if group.mutant.is_some() && cases.peek().is_some() {
                broken.extend(group.clauses());
            }
            let alone = cases.filter(|_| group.mutant.is_none()).filter_map(|case| match case.accused() {
                [only] => Some(only.as_str()),
                _ => None,
            });
            broken.extend(alone);
        }
        broken
    }

    /// How well the clauses are known that are broken for certain: `1 clause seen at the service, 2 that the documents state`.
    fn weighed(&self, outcome: Outcome) -> Option<String> {
        let broken = self.broken_clauses(|verdict| verdict == outcome);
        let weights = [
            (Evidence::Observed, "seen at the service"),
            (Evidence::Documented, "that the documents state"),
            (Evidence::Inferred, "inferred from what is documented"),
            (Evidence::Contradictory, "on which sources differ, in a way that none allows"),
            (Evidence::Unknown, "of which nothing is known, in a way that no source allows"),
        ];
        let mut told = Vec::new();
        for (evidence, words) in weights {
            let is_so = |id: &&&str| self.clause(id).is_some_and(|clause| clause.evidence == evidence);
            let count = broken.iter().filter(is_so).count();
            let noun = match (told.is_empty(), count) {
                (_, 0) => continue,
                (true, 1) => " clause",
                (true, _) => " clauses",
                (false, _) => "",
            };
            told.push(format!("{count}{noun} {words}"));
        }
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// Returns the commands that a reader may want next, each with its purpose.
    pub(crate) fn next_commands(&self) -> Vec<(&'static str, String)> {
        let repeated: &[Outcome] = match self.concluded() {
            Some(Conclusion::Conformant | Conclusion::NoFailure) => &[],
            Some(Conclusion::Nonconformant) => &[Fail, Differ, ChangedFailure, UnexpectedPass],
            Some(Conclusion::AsKnown) => &[KnownFailure],
            _ => &[Fail, Broken, NotRun, Inconclusive, Unsupported],
        };
        let groups = self.failure_groups();
        let failed =
            groups.first().and_then(FailureGroup::first).filter(|case| repeated.contains(&case.verdict));
        let first = failed.or_else(|| repeated.iter().find_map(|outcome| self.cases(*outcome).next()));
        let purpose = |outcome| match outcome {
            Fail | Differ | ChangedFailure | KnownFailure => "repeat the first failure",
            UnexpectedPass => "repeat the first unexpected pass",
            _ => "repeat the first vector without a verdict",
        };
        let first = first.map(|case| (purpose(case.verdict), case.again.clone()));
        let declare = self.declare.clone().filter(|_| self.concluded() != Some(Conclusion::Nonconformant));
        let declare = declare.map(|command| ("declare what the store does not offer", command));
        let mut commands: Vec<_> = declare.into_iter().chain(first).collect();
        match self.concluded() {
            Some(Conclusion::Conformant) => commands.extend(self.target.next_checks()),
            Some(Conclusion::NoFailure) => {
                commands.push(("replay the whole suite", self.vectors.whole.clone()));
            }
            Some(Conclusion::Nonconformant) => {
                let update = self.known_update.clone();
                commands.extend(update.map(|command| ("update the list of known failures", command)));
            }
            _ => {}
        }
        commands.push(("read the sources of a clause", "cosmos-ttl explain CLAUSE".into()));
        commands
    }
}

/// A vector that cites more clauses than this was not written by a person.
pub(crate) const MOST_CLAUSES: usize = 30;

/// Returns a reason without the second of its vector, which differs from vector to vector.
pub(crate) fn without_second(reason: &str) -> &str {
    match reason.strip_prefix("at second ").and_then(|rest| rest.split_once(": ")) {
        Some((second, why)) if second.chars().all(|c| c.is_ascii_digit()) => why,
        _ => reason,
    }
}

/// The heading of the remarks.
pub(crate) const REMARKS: &str = "Remarks about this run";

/// The heading of the clauses without a judged vector.
pub(crate) const UNJUDGED: &str = "Clauses for which no vector was judged";

/// `1 vector`, `2 vectors`
pub fn vectors(count: usize) -> String {
    if count == 1 { "1 vector".into() } else { format!("{count} vectors") }
}
