//! What several tests share.

use cosmos_ttl_model::checker::{Kind, Outcome, Report};

/// The table as a person reads it, without seconds.
pub(crate) fn table(report: &Report) -> String {
    let mut lines = Vec::new();
    for model in &report.models {
        let (states, steps, depth) = (model.unique_states, model.steps, model.depth);
        lines.push(format!("{}: {states} states, {steps} steps, depth {depth}", model.name));
        lines.push(format!("  ({})", model.about));
        for property in &model.properties {
            let kind = match property.kind {
                Kind::Always => "always",
                Kind::Sometimes => "sometimes",
            };
            let (outcome, clauses) = (outcome(&property.outcome), property.clauses.join(", "));
            lines.push(format!("  {kind:9}  {outcome:12}  {} [{clauses}]", property.sentence));
        }
        lines.extend(model.disagreement.iter().map(|disagreement| format!("  DISAGREEMENT: {disagreement}")));
        lines.push(String::new());
    }
    lines.join("\n")
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Held => "held".into(),
        Outcome::Found(trace) => format!("found in {}", trace.steps),
        Outcome::Violated(trace) => format!("VIOLATED in {}", trace.steps),
        Outcome::NotFound => "NOT FOUND".into(),
        Outcome::Proved { paths } => format!("proved, {paths} cases"),
        Outcome::Refuted { witness } => format!("REFUTED by {witness}"),
    }
}
