//! Which mistake a target seems to make, in words.

use super::{Diagnosis, Likeness};

/// A sentence that stands before the likenesses, without an end.
pub(super) fn head(diagnosis: &Diagnosis) -> &'static str {
    if diagnosis.together { "It behaves as if it made several mistakes" } else { "It behaves like" }
}

/// `fails 12 of the same 13 vectors, 11 in the same way, and 2 others`
pub(super) fn figures(diagnosis: &Diagnosis, like: &Likeness) -> String {
    let Diagnosis { failed, .. } = diagnosis;
    let Likeness { fails, same, alike, .. } = like;
    let which = match (same == failed, *failed) {
        (true, 1) => "fails the same vector".into(),
        (true, _) => format!("fails the same {failed} vectors"),
        (false, _) => format!("fails {same} of the same {failed} vectors"),
    };
    let how = match (alike == same, alike) {
        (true, _) => ", in the same way".into(),
        (false, alike) => format!(", {alike} in the same way"),
    };
    match fails.saturating_sub(*same) {
        0 => which + &how,
        1 => which + &how + ", and 1 other",
        others => format!("{which}{how}, and {others} others"),
    }
}

/// What stands after them.
pub(super) fn tail(diagnosis: &Diagnosis) -> Option<String> {
    (0 < diagnosis.more).then(|| format!("and {} more that match as well", diagnosis.more))
}
