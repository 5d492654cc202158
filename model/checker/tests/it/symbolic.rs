//! The proof for all integers, and what it says of rules that are wrong.

use cosmos_ttl_checker::integers::{is_the_table, shipped};
use cosmos_ttl_checker::symbolic::{Sym, for_all};

const MAX: i32 = i32::MAX;

#[test]
fn the_shipped_rule_is_the_table_for_all_integers() {
    assert_eq!(is_the_table(shipped), [1, 5, 6, 15].map(Ok));
}

fn number(number: i32) -> Sym {
    Sym::from(number)
}

fn is_setting(n: Sym) -> bool {
    n == number(-1) || (number(1) <= n && n <= number(MAX))
}

/// The table in plain steps, with a part of it to be replaced: what is a setting, and whether a `ttl` under a default
/// that is on has run out.
fn table(
    [default_ttl, ttl]: [Option<Sym>; 2],
    age: Sym,
    is_setting: fn(Sym) -> bool,
    run_out: fn(default_ttl: Sym, ttl: Option<Sym>, age: Sym) -> bool,
) -> Option<bool> {
    let both = default_ttl.is_none_or(is_setting) && ttl.is_none_or(is_setting);
    both.then(|| default_ttl.is_some_and(|default_ttl| run_out(default_ttl, ttl, age)))
}

fn run_out(default_ttl: Sym, ttl: Option<Sym>, age: Sym) -> bool {
    let lifetime = ttl.unwrap_or(default_ttl);
    lifetime != number(-1) && lifetime <= age
}

/// Takes a wrong rule; default, ttl and age of the first counterexample that is found.
#[track_caller]
fn refuted(
    rule: impl Fn(Option<Sym>, Option<Sym>, Sym) -> Option<bool>,
    expected: (Option<i128>, Option<i128>, i128),
) {
    let [off, off_own, inherited, own] = is_the_table(rule).map(Result::err);
    let found = off.map(|numbers| (None, None, numbers[0]));
    let found = found.or(off_own.map(|numbers| (None, Some(numbers[0]), numbers[1])));
    let found = found.or(inherited.map(|numbers| (Some(numbers[0]), None, numbers[1])));
    let found = found.or(own.map(|numbers| (Some(numbers[0]), Some(numbers[1]), numbers[2])));
    assert_eq!(found, Some(expected));
}

#[test]
fn a_right_rule_in_other_words_is_proved_too() {
    let proofs = is_the_table(|default_ttl, ttl, age| table([default_ttl, ttl], age, is_setting, run_out));
    assert!(proofs.iter().all(Result::is_ok));
}

#[test]
fn expired_a_second_late_is_refuted() {
    let late = |default_ttl: Sym, ttl: Option<Sym>, age: Sym| {
        let lifetime = ttl.unwrap_or(default_ttl);
        lifetime != number(-1) && lifetime < age
    };
    refuted(|default_ttl, ttl, age| table([default_ttl, ttl], age, is_setting, late), (Some(1), None, 1));
}

#[test]
fn expired_a_second_early_is_refuted() {
    let early = |default_ttl: Sym, ttl: Option<Sym>, age: Sym| {
        let lifetime = ttl.unwrap_or(default_ttl);
        lifetime != number(-1) && lifetime <= age.plus(1)
    };
    refuted(|default_ttl, ttl, age| table([default_ttl, ttl], age, is_setting, early), (Some(1), None, 0));
}

#[test]
fn minus_one_as_a_number_like_others_is_refuted() {
    let not_special = |default_ttl: Sym, ttl: Option<Sym>, age: Sym| ttl.unwrap_or(default_ttl) <= age;
    refuted(
        |default_ttl, ttl, age| table([default_ttl, ttl], age, is_setting, not_special),
        (Some(-1), None, 0),
    );
}

#[test]
fn every_negative_number_as_never_is_refuted() {
    let negatives = |n: Sym| n < number(0) || (number(1) <= n && n <= number(MAX));
    let never = |default_ttl: Sym, ttl: Option<Sym>, age: Sym| {
        let lifetime = ttl.unwrap_or(default_ttl);
        number(0) < lifetime && lifetime <= age
    };
    refuted(|default_ttl, ttl, age| table([default_ttl, ttl], age, negatives, never), (None, Some(-2), 0));
}

#[test]
fn zero_as_a_setting_is_refuted() {
    let from_zero = |n: Sym| number(-1) <= n && n <= number(MAX);
    refuted(|default_ttl, ttl, age| table([default_ttl, ttl], age, from_zero, run_out), (None, Some(0), 0));
}

#[test]
fn a_maximum_that_is_one_too_small_is_refuted() {
    let smaller = |n: Sym| n == number(-1) || (number(1) <= n && n < number(MAX));
    refuted(
        |default_ttl, ttl, age| table([default_ttl, ttl], age, smaller, run_out),
        (None, Some(2_147_483_647), 2_147_483_647),
    );
}

#[test]
fn a_maximum_that_is_one_too_great_is_refuted() {
    let greater = |n: Sym| n == number(-1) || (number(1) <= n && n <= number(MAX).plus(1));
    refuted(
        |default_ttl, ttl, age| table([default_ttl, ttl], age, greater, run_out),
        (None, Some(2_147_483_648), 2_147_483_648),
    );
}

#[test]
fn an_override_only_where_it_is_shorter_is_refuted() {
    let shorter = |default_ttl: Sym, ttl: Option<Sym>, age: Sym| match ttl {
        Some(own) if own < default_ttl || default_ttl == number(-1) => run_out(default_ttl, Some(own), age),
        _ => run_out(default_ttl, None, age),
    };
    refuted(
        |default_ttl, ttl, age| table([default_ttl, ttl], age, is_setting, shorter),
        (Some(1), Some(2), 1),
    );
}

#[test]
fn whichever_of_both_runs_out_first_is_refuted() {
    let either = |default_ttl: Sym, ttl: Option<Sym>, age: Sym| {
        run_out(default_ttl, None, age) || run_out(default_ttl, ttl, age)
    };
    refuted(
        |default_ttl, ttl, age| table([default_ttl, ttl], age, is_setting, either),
        (Some(1), Some(-1), 1),
    );
}

#[test]
fn a_container_that_is_off_yet_honours_items_is_refuted() {
    refuted(
        |default_ttl, ttl, age| table([default_ttl.or(Some(number(-1))), ttl], age, is_setting, run_out),
        (None, Some(1), 1),
    );
}

#[test]
fn three_unknowns_in_a_row_have_thirteen_orders() {
    let orders = for_all(|[x, y, z]| {
        let _ = (x < y, x == y, y < z, y == z, x < z, x == z);
        true
    });
    assert_eq!(orders, Ok(13));
}

#[test]
fn what_cannot_be_is_not_tried() {
    assert_eq!(for_all(|[x, y]| !(x < y && y < x)), Ok(2));
    assert_eq!(for_all(|[x, y]| !(x < y && y < x.plus(1))), Ok(2));
}
