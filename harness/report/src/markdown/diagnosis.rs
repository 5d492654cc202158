//! Which mistake a target seems to make.

use super::inert::{code, prose};
use crate::Report;
use crate::diagnosis::{figures, head, tail};

pub(super) fn diagnosis(report: &Report) -> String {
    let Some(diagnosis) = &report.diagnosis else { return String::new() };
    let like = diagnosis.like.iter().map(|like| {
        let name = code(&format!("mutant:{}", like.mutant));
        format!("- {name}: {} It {}.\n", prose(&like.says), prose(&figures(diagnosis, like)))
    });
    let tail = tail(diagnosis).map(|tail| format!("- {tail}\n"));
    format!("**{}:**\n\n{}\n", head(diagnosis), like.chain(tail).collect::<String>())
}
