//! The colours of the page: each text can be read on each of its backgrounds, by day and by night.

use std::collections::BTreeMap;

use cosmos_ttl_report::page;

use super::markup::read;

/// The least contrast that WCAG 2 asks of text at level AA.
const LEAST: f64 = 4.5;

/// The texts, each with its backgrounds.
const TEXTS: [(&str, &[&str]); 6] = [
    ("ink", &["paper", "card", "band", "good-bg", "bad-bg", "doubt-bg"]),
    ("soft", &["paper", "card", "band", "bad-bg", "doubt-bg"]),
    ("link", &["paper", "card"]),
    ("good", &["paper", "card", "good-bg", "doubt-bg"]),
    ("bad", &["paper", "card", "band", "bad-bg", "doubt-bg"]),
    ("doubt", &["paper", "card", "doubt-bg"]),
];

/// The colours that a part of the style names.
fn colours(style: &str) -> BTreeMap<String, f64> {
    let named = style.split("--").skip(1).filter_map(|rest| rest.split_once(": #"));
    let read = |(name, rest): (&str, &str)| {
        let digits = rest.split(';').next()?;
        Some((
            name.to_owned(),
            luminance(u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6)?),
        ))
    };
    named.filter_map(read).collect()
}

fn luminance(rgb: u32) -> f64 {
    let [_, red, green, blue] = rgb.to_be_bytes().map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_text_can_be_read_by_day_and_by_night() {
    let style = read(&page(&[])).style;
    let (day, rest) = style.split_once("@media (prefers-color-scheme: dark)").expect("a dark scheme");
    let (night, _) = rest.split_once("* {").unwrap();
    for (scheme, colours) in [("day", colours(day)), ("night", colours(night))] {
        for (text, grounds) in TEXTS {
            for ground in grounds {
                let contrast = contrast(colours[text], colours[*ground]);
                assert!(LEAST <= contrast, "{scheme}: {text} on {ground} has {contrast:.2}");
            }
        }
    }
}

#[test]
fn black_on_white_has_the_most_contrast_there_is() {
    assert!((contrast(luminance(0), luminance(0x00ff_ffff)) - 21.0).abs() < 0.001);
    assert!(contrast(luminance(0x0077_7777), luminance(0x00ff_ffff)) < LEAST);
}
