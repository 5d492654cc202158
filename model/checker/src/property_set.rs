//! A set of properties: what must hold of every step, and what must be seen on some.

use std::sync::Arc;

use cosmos_ttl_model::container::Rules;

/// How a property is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyKind {
    /// Of every step that can be reached.
    Always,
    /// Of some step that can be reached: shows that the interesting case occurs.
    Sometimes,
}

/// A sentence about a step, and the same as code.
pub(super) type Sentence<S> = (PropertyKind, &'static str, fn(&S) -> bool);

/// A statement of some clauses about every step, and a step that must be reachable, so that the statement is not
/// vacuous. Either may be missing.
#[derive(Debug)]
pub(super) struct Statement<S: 'static> {
    pub(super) clauses: &'static [&'static str],
    /// The rules under which it is made, if not under all.
    pub(super) when: &'static [fn(&Rules) -> bool],
    pub(super) sentences: &'static [Sentence<S>],
}

/// A table of statements about a step: for each its clauses, the rules under which it is made (if not under all), what holds of
/// every step, and what of some.
macro_rules! statements {
    ($step:ident: $type:ty; $(
        [$($clause:literal),+ $(,)?]
            $(when $when:expr;)?
            $(always $always:expr => $holds:expr;)?
            $(sometimes $sometimes:expr => $is_seen:expr;)?
    )+) => {
        &[$($crate::property_set::Statement::<$type> {
            clauses: &[$($clause),+],
            when: &[$($when)?],
            sentences: &[
                $(($crate::property_set::PropertyKind::Always, $always, |$step| $holds),)?
                $(($crate::property_set::PropertyKind::Sometimes, $sometimes, |$step| $is_seen),)?
            ],
        }),+]
    };
}
pub(super) use statements;

/// A section of `vectors/clauses.yaml`, and what is stated there.
pub(super) type StatementSection<S> = (&'static str, &'static [Statement<S>]);

/// Half of a statement, in its section.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepProperty<S> {
    pub(super) kind: PropertyKind,
    pub(super) section: &'static str,
    pub(super) clauses: &'static [&'static str],
    pub(super) sentence: &'static str,
    holds: fn(&S) -> bool,
}

impl<S> StepProperty<S> {
    /// Whether a step breaks it (*always*), or shows it (*sometimes*).
    pub(super) fn is_met(&self, step: &S) -> bool {
        (self.kind == PropertyKind::Sometimes) == (self.holds)(step)
    }
}

/// Returns the properties under these rules, in the order in which people read them.
pub(super) fn properties<S>(rules: Rules, sections: &[StatementSection<S>]) -> Arc<[StepProperty<S>]> {
    let mut all = Vec::new();
    for (section, statements) in sections {
        let stated = statements.iter().filter(|one| one.when.iter().all(|when| when(&rules)));
        for Statement { clauses, sentences, .. } in stated {
            let property = |&(kind, sentence, holds): &Sentence<S>| StepProperty {
                kind,
                section,
                clauses,
                sentence,
                holds,
            };
            all.extend(sentences.iter().map(property));
        }
    }
    all.into()
}
