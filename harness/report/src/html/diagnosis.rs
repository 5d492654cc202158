//! Which mistake a target seems to make.

use maud::{Markup, html};

use super::safe::{said, sentence};
use crate::Report;
use crate::diagnosis::{figures, head, tail};

pub(super) fn diagnosis(report: &Report) -> Markup {
    html! {
        @if let Some(diagnosis) = &report.diagnosis {
            section aria-labelledby="diagnosis" {
                h2 id="diagnosis" { (head(diagnosis)) }
                ul {
                    @for like in &diagnosis.like {
                        li {
                            code { "mutant:" (said(&like.mutant)) } ": " (sentence(&like.says))
                            " It " (figures(diagnosis, like)) "."
                        }
                    }
                    @if let Some(tail) = tail(diagnosis) { li { (tail) } }
                }
            }
        }
    }
}
