//! Numbers as they are written: the harness's reading and the naive store's, against exact rational arithmetic.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_mutants as mutants;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

/// A JSON number, part by part.
#[derive(Clone, Debug)]
struct Written {
    negative: bool,
    whole: u64,
    fraction: Option<String>,
    exponent: Option<(char, &'static str, u32)>,
}

impl Written {
    fn text(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let fraction = self.fraction.as_ref().map_or(String::new(), |digits| format!(".{digits}"));
        let exponent =
            self.exponent.map_or(String::new(), |(letter, sign, digits)| format!("{letter}{sign}{digits}"));
        format!("{sign}{}{fraction}{exponent}", self.whole)
    }

    /// The number as a fraction, by multiplying out; none of it is rounded.
    fn whole_value(&self) -> Option<i128> {
        let digits = self.fraction.clone().unwrap_or_default();
        let mut above: i128 = format!("{}{digits}", self.whole).parse().unwrap();
        let mut below = 10_i128.pow(u32::try_from(digits.len()).unwrap());
        match self.exponent {
            Some((_, "-", places)) => below *= 10_i128.pow(places),
            Some((_, _, places)) => above *= 10_i128.pow(places),
            None => {}
        }
        let value = if self.negative { -above } else { above };
        (value % below == 0).then_some(value / below)
    }

    fn kind(&self) -> LiteralKind {
        let cut = |value: i128| i64::try_from(value.clamp(i64::MIN.into(), i64::MAX.into())).unwrap();
        match (self.whole_value(), self.fraction.is_none() && self.exponent.is_none()) {
            (Some(value), true) => LiteralKind::Whole(cut(value)),
            (Some(value), false) => LiteralKind::WholeAsFraction(cut(value)),
            (None, _) => LiteralKind::Other,
        }
    }
}

fn numbers() -> impl Strategy<Value = Written> {
    let whole = prop_oneof![
        0..100_u64,
        (0..100_u64, 0..6_u32).prop_map(|(digits, zeros)| digits * 10_u64.pow(zeros)),
        prop_oneof![
            2_147_483_640..2_147_483_660_u64,
            9_223_372_036_854_775_800..9_223_372_036_854_775_820_u64
        ],
    ];
    let digits = prop_oneof!["0{1,5}", "[0-9]{1,5}", "[0-9]{1,2}0{0,4}"];
    let sign = prop_oneof![
        proptest::strategy::Just(""),
        proptest::strategy::Just("+"),
        proptest::strategy::Just("-")
    ];
    let letter = prop_oneof![proptest::strategy::Just('e'), proptest::strategy::Just('E')];
    let exponent = proptest::option::of((letter, sign, 0..8_u32));
    (any::<bool>(), whole, proptest::option::of(digits), exponent)
        .prop_map(|(negative, whole, fraction, exponent)| Written { negative, whole, fraction, exponent })
}

fn runner(cases: u32) -> TestRunner {
    let told = Config::default();
    let rng_seed = if told.rng_seed == RngSeed::Random { RngSeed::Fixed(68) } else { told.rng_seed };
    println!("PROPTEST_RNG_SEED={rng_seed}");
    TestRunner::new(Config { cases: told.cases.max(cases), rng_seed, failure_persistence: None, ..told })
}

fn same<T: PartialEq + std::fmt::Debug>(a: &T, b: &T, of: &str) -> Result<(), TestCaseError> {
    if a == b { Ok(()) } else { Err(TestCaseError::fail(format!("{of}: {a:?}, but {b:?}"))) }
}

#[test]
fn a_number_is_read_for_what_it_is() {
    let found = runner(50_000).run(&numbers(), |number| {
        let text = number.text();
        same(&Literal::parse(&text).unwrap().kind(), &number.kind(), &text)?;
        let plain = number.fraction.is_none() && number.exponent.is_none();
        same(&mutants::whole(&text, true), &number.whole_value(), &text)?;
        same(&mutants::whole(&text, false), &number.whole_value().filter(|_| plain), &text)
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}

#[test]
fn two_spellings_of_a_whole_number_are_the_same_value() {
    let pair = (numbers(), numbers());
    let found = runner(50_000).run(&pair, |(one, other)| {
        let literal = |number: &Written| Literal::parse(&number.text()).unwrap();
        let (Some(a), Some(b)) = (one.whole_value(), other.whole_value()) else { return Ok(()) };
        if a.unsigned_abs().max(b.unsigned_abs()) < 1 << 62 {
            same(
                &literal(&one).same_value(&literal(&other)),
                &(a == b),
                &format!("{} and {}", one.text(), other.text()),
            )?;
        }
        Ok(())
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}

#[test]
fn numbers_far_past_every_setting_end_where_they_must() {
    let zeros = "0".repeat(5_000);
    for (text, whole) in [
        (format!("1{zeros}"), true),
        (format!("1{zeros}.0"), true),
        (format!("1{zeros}e-5000"), true),
        (format!("1{zeros}e-5001"), false),
        (format!("0.{zeros}1"), false),
        (format!("0.{zeros}1e5001"), true),
        ("1e999999999999999999999".into(), true),
        ("1e-999999999999999999999".into(), false),
        ("0e-999999999999999999999".into(), true),
    ] {
        let kind = Literal::parse(&text).unwrap().kind();
        assert_eq!(kind != LiteralKind::Other, whole, "{text:.20}");
        assert_eq!(mutants::whole(&text, true).is_some(), whole, "{text:.20}");
    }
}
