//! `report.json`, and every page that is made of one.

#![no_main]

use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::report::{Report, junit, markdown, page, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &str| {
    if let Ok(report) = serde_json::from_str::<Report>(json) {
        let report = report.made_harmless();
        page(std::slice::from_ref(&report));
        markdown(&report);
        junit(&report);
        text(&report, RenderOptions::default());
    }
});
