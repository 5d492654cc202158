//! Values as JSON text: what a number is, and which values are the same.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};

#[track_caller]
fn check(text: &str, kind: LiteralKind) {
    assert_eq!(Literal::parse(text).unwrap().kind(), kind, "{text}");
}

#[test]
fn a_number_is_what_its_digits_say() {
    check("10", LiteralKind::Whole(10));
    check("-0", LiteralKind::Whole(0));
    check("18446744073709551616", LiteralKind::Whole(i64::MAX));
    check("-18446744073709551616", LiteralKind::Whole(i64::MIN));
    check("10.0", LiteralKind::WholeAsFraction(10));
    check("-10.00", LiteralKind::WholeAsFraction(-10));
    check("0.0", LiteralKind::WholeAsFraction(0));
    check("1e1", LiteralKind::WholeAsFraction(10));
    check("1.50E+1", LiteralKind::WholeAsFraction(15));
    check("100e-1", LiteralKind::WholeAsFraction(10));
    check("1e400", LiteralKind::WholeAsFraction(i64::MAX));
    check("1e99999999999999999999", LiteralKind::WholeAsFraction(i64::MAX));
    check("1e-99999999999999999999", LiteralKind::Other);
    check("1.5", LiteralKind::Other);
    check("15e-1", LiteralKind::Other);
    check("0.99999999999999999999999999999", LiteralKind::Other);
}

#[test]
fn only_null_and_numbers_are_told_from_the_rest() {
    check("null", LiteralKind::Null);
    for text in ["\"10\"", "\"null\"", "true", "[]", "[10]", "{}"] {
        check(text, LiteralKind::Other);
    }
}

#[test]
fn the_text_is_kept() {
    for text in ["10.0", "1e400", "18446744073709551616", "-0", "{\"a\": [1.50]}"] {
        let literal: Literal = serde_json::from_str(text).unwrap();
        assert_eq!(literal.as_str(), text);
        assert_eq!(serde_json::to_string(&literal).unwrap(), text);
        assert_eq!(format!("{literal} {literal:?}"), format!("{text} {text}"));
    }
}

#[test]
fn numbers_compare_as_numbers() {
    let same = |a, b| Literal::parse(a).unwrap().same_value(&Literal::parse(b).unwrap());
    assert!(same("10", "10.0"));
    assert!(same("1e1", "10"));
    assert!(same("{\"a\": 1, \"b\": 2.0}", "{\"b\":2,\"a\":1}"));
    assert!(same("[1, [2]]", "[1.0, [2]]"));
    assert!(!same("[1]", "[2]") && !same("[1]", "[1, 2]"));
    assert!(!same("{\"a\": 1}", "{\"b\": 1}") && !same("{\"a\": 1}", "{\"a\": 1, \"b\": 2}"));
    assert!(!same("10", "\"10\""));
    assert!(!same("9007199254740993", "9007199254740992"));
    assert!(!same("1e400", "1e401"));
    assert!(!same("null", "0"));
}
