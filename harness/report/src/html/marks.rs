//! A sign, a word and a colour for every verdict; the colour is never alone.

use maud::{Markup, html};

use crate::text::mark;
use crate::{Clause, Counts, Outcome};

/// The sign of a verdict, and the class that colours it.
pub(super) fn sign(said: Outcome) -> (&'static str, &'static str) {
    match said {
        Outcome::Pass => ("✓", "good"),
        Outcome::Fail | Outcome::ChangedFailure => ("✗", "bad"),
        Outcome::UnexpectedPass | Outcome::Broken => ("!", "bad"),
        Outcome::Differ | Outcome::KnownFailure | Outcome::Flaky => ("~", "doubt"),
        Outcome::Inconclusive | Outcome::NotRun => ("?", "doubt"),
        Outcome::Unsupported | Outcome::NotApplicable => ("·", "dim"),
    }
}

/// A verdict with its sign.
pub(super) fn verdict(said: Outcome) -> Markup {
    let (sign, class) = sign(said);
    html! { span class={ "verdict " (class) } { span.mark aria-hidden="true" { (sign) } " " (said) } }
}

/// The sign of a clause; what it means stands beside it as counts.
pub(super) fn clause(clause: &Clause) -> Markup {
    let sign = mark(clause);
    let class = match sign {
        "✓" => "good",
        "✗" | "!" => "bad",
        "·" => "dim",
        _ => "doubt",
    };
    html! { span class={ "mark " (class) } aria-hidden="true" { (sign) } }
}

/// The sign and the class of a whole run.
pub(super) fn conclusion(word: &str) -> (&'static str, &'static str) {
    match word {
        "conformant" => ("✓", "good"),
        "as known" => ("~", "doubt"),
        "undecided" => ("?", "doubt"),
        "broke" => ("!", "bad"),
        _ => ("✗", "bad"),
    }
}

/// Whether a vector with this verdict is one that somebody must look at.
pub(super) fn is_wrong(said: Outcome) -> bool {
    sign(said).1 == "bad" || said == Outcome::Differ
}

/// How many there are of each verdict but pass.
pub(super) fn rest(counts: &Counts) -> Markup {
    let others = Outcome::ALL.into_iter().filter(|said| *said != Outcome::Pass && 0 < counts.get(*said));
    html! {
        @for said in others {
            @let (sign, class) = sign(said);
            " " span class={ "chip " (class) } { span aria-hidden="true" { (sign) } " " (counts.get(said)) " " (said) }
        }
    }
}
