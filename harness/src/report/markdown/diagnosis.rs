//! Which mistake a target seems to make.

use super::inert::{code, prose};
use crate::report::Report;
use crate::report::diagnosis::{figures, head, tail};

pub(super) fn diagnosis(report: &Report) -> String {
    let Some(diagnosis) = &report.diagnosis else { return String::new() };
    let mut text = format!("**{}:**\n\n", head(diagnosis));
    for like in &diagnosis.like {
        let name = code(&format!("mutant:{}", like.mutant));
        text.push_str(&format!("- {name}: {} It {}.\n", prose(&like.says), prose(&figures(diagnosis, like))));
    }
    text.extend(tail(diagnosis).map(|tail| format!("- {tail}\n")));
    text + "\n"
}
