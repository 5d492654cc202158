//! Which mistake a target seems to make.

use crate::diagnosis::{figures, head, tail};
use crate::style::{BOLD, RenderOptions, styled, wrapped};
use crate::{Diagnosis, Report};

pub(super) fn diagnosis(report: &Report, look: RenderOptions) -> String {
    report.diagnosis.as_ref().map(|one| told(one, look)).unwrap_or_default()
}

fn told(diagnosis: &Diagnosis, look: RenderOptions) -> String {
    let mut lines = vec![styled(BOLD, head(diagnosis))];
    for like in &diagnosis.like {
        let name = format!("mutant:{}", like.mutant);
        let text = wrapped(&format!("  {name}: {}", like.says), look.width, "    ");
        lines.push(text.replacen(&name, &styled(BOLD, &name), 1));
        lines.push(wrapped(&format!("    it {}", figures(diagnosis, like)), look.width, "    "));
    }
    lines.extend(tail(diagnosis).map(|tail| format!("  {tail}")));
    lines.join("\n") + "\n"
}
