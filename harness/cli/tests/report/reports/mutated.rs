//! Nothing that a `report.json` can hold makes a page of it panic.

use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::{Report, junit, markdown, page, text};
use cosmos_ttl_testing::mutated::{mutated, run};

use super::made::every;

#[test]
fn no_mutated_report_panics() {
    let json = every().json();
    run(300, &mutated(json), |bytes| {
        if let Ok(report) = serde_json::from_slice::<Report>(bytes) {
            let report = report.made_harmless();
            page(std::slice::from_ref(&report));
            markdown(&report);
            junit(&report);
            text(&report, RenderOptions::default());
        }
        Ok(())
    });
}
