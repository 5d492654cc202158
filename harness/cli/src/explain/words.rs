//! The short words of the clauses, spelled out.

use cosmos_ttl_harness::clauses::{Binds, Evidence, Level, Observe};
use cosmos_ttl_harness::vector::SourceDocument;

pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "a target that differs is nonconformant",
        Level::Should => "a target that differs is reported, and fails only under --strict",
        Level::Open => {
            "each of the values is allowed, anything else is nonconformant; the choice is reported"
        }
    }
}

pub(super) fn binds(binds: Binds) -> &'static str {
    match binds {
        Binds::Target => "one choice holds for all vectors of a target",
        Binds::Item => "one choice holds for an item to the end of its vector; the next item may choose anew",
        Binds::Nothing => "each answer stands alone",
    }
}

pub(super) fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Documented => "an official page says so",
        Evidence::Observed => "somebody saw the service do it, in a published test or report",
        Evidence::Inferred => "it follows from what is documented or observed; nobody says it outright",
        Evidence::Contradictory => "sources disagree",
        Evidence::Unknown => "no source says",
    }
}

pub(super) fn observe(observe: Observe) -> &'static str {
    match observe {
        Observe::Client => "any client of one target",
        Observe::Model => "nobody from outside: physical storage and request units show only in the model",
    }
}

pub(super) fn document(document: SourceDocument) -> &'static str {
    match document {
        SourceDocument::D2017 => "D2017, Microsoft's page of January 2017, of what was then DocumentDB",
        SourceDocument::D2018 => "D2018, Microsoft's page of about 2018",
        SourceDocument::D2019 => "D2019, Microsoft's page of about 2019",
        SourceDocument::D2020 => "D2020, Microsoft's page of September 2020",
        SourceDocument::D2024 => "D2024, Microsoft's page of about 2024, of the API for NoSQL",
    }
}

/// A source as `clauses.yaml` abbreviates it.
pub(super) fn source(source: &str) -> String {
    use SourceDocument as D;
    let documents = [D::D2017, D::D2018, D::D2019, D::D2020, D::D2024].map(document);
    if let Some(known) = documents.iter().find(|known| known.split(',').next() == Some(source)) {
        return (*known).into();
    }
    // By its number in the catalogue of evidence.
    let kinds = [("gt:", "statement"), ("C-", "contradiction"), ("Q-", "question")];
    let spelled = kinds.iter().find_map(|(prefix, kind)| {
        let number = source.strip_prefix(prefix)?;
        Some(format!("{source}, {kind} {number} of the catalogue of evidence"))
    });
    spelled.unwrap_or_else(|| source.into())
}

pub(super) fn margin(margin_s: u64) -> String {
    format!("{margin_s} s: the least distance between a request and a moment at which something might expire")
}
