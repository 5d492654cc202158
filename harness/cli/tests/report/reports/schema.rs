//! `schemas/report.schema.json`

use cosmos_ttl::report::{Report, SCHEMA, schema_json};
use serde_json::Value;

use super::made;
use cosmos_ttl_testing::json_schema::{Schema, check_committed};

#[test]
fn the_committed_schema_is_that_of_the_types() {
    check_committed(SCHEMA, &schema_json());
}

#[test]
fn real_reports_are_as_it_says() {
    let schema = Schema::committed(SCHEMA);
    for (name, report) in made::honest().into_iter().chain(made::from_outside()) {
        let value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(schema.refuses(&value), None, "{name}");
    }
}

/// Where each object of a report is.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            fields.iter().for_each(|(name, value)| objects(value, &format!("{at}/{name}"), found));
        }
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(place, value)| objects(value, &format!("{at}/{place}"), found));
        }
        _ => {}
    }
}

#[test]
fn a_field_too_many_or_too_few_is_refused_wherever_it_is() {
    let schema = Schema::committed(SCHEMA);
    let mut few = made::known();
    few.cases.retain(|case| case.failure.is_some());
    few.cases.truncate(1);
    few.sections.truncate(1);
    few.sections[0].clauses.truncate(2);
    let whole = serde_json::to_value(few).unwrap();
    let mut places = Vec::new();
    objects(&whole, "", &mut places);
    assert!(places.len() > 20, "{}", places.len());
    for place in places {
        let mut more = whole.clone();
        more.pointer_mut(&place).unwrap().as_object_mut().unwrap().insert("other".into(), Value::Null);
        assert!(schema.refuses(&more).is_some(), "{place}/other");
        let names: Vec<_> = whole.pointer(&place).unwrap().as_object().unwrap().keys().cloned().collect();
        for name in names {
            let mut less = whole.clone();
            less.pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(&name);
            assert!(schema.refuses(&less).is_some(), "{place}/{name}");
        }
    }
}

#[test]
fn a_report_without_a_field_is_not_read() {
    let whole = serde_json::to_value(made::failing()).unwrap();
    for (of, field) in [
        ("", "remarks"),
        ("", "unjudged-reasons"),
        ("/cases/0", "timeline"),
        ("/sections/0/clauses/0", "not-asked"),
    ] {
        let mut less = whole.clone();
        less.pointer_mut(of).unwrap().as_object_mut().unwrap().remove(field).unwrap();
        let err = serde_json::from_value::<Report>(less).unwrap_err().to_string();
        assert!(err.contains(&format!("missing field `{field}`")), "{err}");
    }
}

#[test]
fn a_word_that_nobody_knows_is_refused() {
    let schema = Schema::committed(SCHEMA);
    for (place, word) in [("/cases/0/verdict", "passed"), ("/cases/0/level", "may"), ("/format", "1")] {
        let mut value = serde_json::to_value(made::failing()).unwrap();
        *value.pointer_mut(place).unwrap() = word.into();
        assert!(schema.refuses(&value).is_some(), "{place}");
    }
}
