//! Vectors as somebody would write them who insists on one answer where a clause leaves a choice.

use std::borrow::Cow;

use super::Ablation;
use cosmos_ttl_harness::vector::{Expect, Vector};

/// The vector, with only the value that is insisted on where it expects one of several.
pub(super) fn narrowed<'a>(vector: &'a Vector, ablation: &Ablation) -> Cow<'a, Vector> {
    let Some((clause, value)) = ablation.insists() else { return Cow::Borrowed(vector) };
    let is_open = |expect: &Expect| matches!(expect, Expect::Open { clause: of, .. } if of == clause);
    if !vector.steps.iter().any(|step| is_open(&step.expect)) {
        return Cow::Borrowed(vector);
    }
    let mut vector = vector.clone();
    for step in &mut vector.steps {
        if let Expect::Open { clause: of, outcomes, .. } = &mut step.expect
            && of == clause
        {
            outcomes.retain(|(one, _)| one == value);
        }
    }
    Cow::Owned(vector)
}
