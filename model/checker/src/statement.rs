//! Statements about steps, in tables that read as a specification, and as properties of stateright.

use stateright::Property;

use crate::judge::{Judge, State};
use crate::report::PropertyKind;
use crate::system::System;

/// A sentence about a step, and the same as a condition of stateright on the state that has just taken it.
pub(crate) type Sentence<S> = (PropertyKind, &'static str, fn(&Judge<S>, &State<S>) -> bool);

/// What some clauses say of every step, and a step that must be reachable, so that the first is not vacuous.
pub(crate) struct Statement<S: System> {
    pub(crate) clauses: &'static [&'static str],
    pub(crate) sentences: &'static [Sentence<S>],
}

/// A section of `vectors/clauses.yaml`, and what is stated there.
pub(crate) type Section<S> = (&'static str, &'static [Statement<S>]);

/// A table of statements: for each its clauses, what holds of every step, and what of some.
macro_rules! statements {
    ($step:ident: $system:ty; $(
        [$($clause:literal),+ $(,)?]
            $(always $always:expr => $holds:expr;)?
            $(sometimes $sometimes:expr => $is_seen:expr;)*
    )+) => {
        &[$($crate::statement::Statement::<$system> {
            clauses: &[$($clause),+],
            sentences: &[
                $(($crate::report::PropertyKind::Always, $always, |_, state| {
                    state.step().is_none_or(|$step| $holds)
                }),)?
                $(($crate::report::PropertyKind::Sometimes, $sometimes, |_, state| {
                    state.step().is_some_and(|$step| $is_seen)
                }),)*
            ],
        }),+]
    };
}
pub(crate) use statements;

/// Returns the sentences of these sections in the order in which people read them, each with its section and clauses.
pub(crate) fn sentences<S: System>(
    sections: &'static [Section<S>],
) -> impl Iterator<Item = (&'static str, &'static [&'static str], &'static Sentence<S>)> {
    sections.iter().flat_map(|(section, statements)| {
        statements.iter().flat_map(move |one| one.sentences.iter().map(move |it| (*section, one.clauses, it)))
    })
}

pub(crate) fn property<S: System>(&(kind, name, condition): &Sentence<S>) -> Property<Judge<S>> {
    match kind {
        PropertyKind::Always => Property::always(name, condition),
        PropertyKind::Sometimes => Property::sometimes(name, condition),
    }
}
