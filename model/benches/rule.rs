//! Measures a decision of the rule, and compares it with a `match` written by hand.
//!
//! Counted in instructions, by callgrind, since those are the same on every run: this program runs itself under valgrind
//! with nothing in the loop, with the shipped rule and with a `match` over plain integers, and takes the differences.
//! Nothing is allocated by construction: the rule lives in a module of `core` alone.

#![expect(clippy::arithmetic_side_effects, reason = "small figures for people")]

use std::env;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, is_expired, lifetime};

/// Enough that starting up does not matter.
const ROUNDS: u64 = 20_000;

/// How many instructions the shipped rule may take for each that the hand-written one takes, in percent.
const LIMIT_PERCENT: u64 = 150;

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("nothing") => run(nothing),
        Some("shipped") => run(shipped),
        Some("by-hand") => run(by_hand),
        _ if env::args().any(|argument| argument == "--bench") => compare(),
        _ => {
            println!("not measured: that is for `cargo bench`");
            ExitCode::SUCCESS
        }
    }
}

fn run(decide: fn(&[Case])) -> ExitCode {
    let cases = cases();
    for _ in 0..ROUNDS {
        decide(black_box(&cases));
    }
    ExitCode::SUCCESS
}

fn compare() -> ExitCode {
    let counts = ["nothing", "shipped", "by-hand"].map(instructions);
    let [Some(nothing), Some(shipped), Some(by_hand)] = counts else {
        println!("not measured: valgrind is not installed, or did not say how many instructions it saw");
        return ExitCode::SUCCESS;
    };
    let decisions = ROUNDS * u64::try_from(cases().len()).unwrap_or(1);
    let (shipped, by_hand) = (shipped.saturating_sub(nothing), by_hand.saturating_sub(nothing));
    let tenths = |count: u64| format!("{}.{}", count / decisions, count * 10 / decisions % 10);
    let percent = shipped * 100 / by_hand.max(1);
    println!("instructions a decision: shipped {}, by hand {}", tenths(shipped), tenths(by_hand));
    println!(
        "ratio: {}.{:02}, at most {}.{:02}",
        percent / 100,
        percent % 100,
        LIMIT_PERCENT / 100,
        LIMIT_PERCENT % 100
    );
    if percent <= LIMIT_PERCENT { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How many instructions this program takes with that argument.
fn instructions(argument: &str) -> Option<u64> {
    let me = env::current_exe().ok()?;
    let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let output = Command::new("valgrind").args(options).arg(me).arg(argument).output().ok()?;
    let text = String::from_utf8(output.stderr).ok()?;
    text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

/// The same question twice: in the types of the rule, and in plain integers (0 stands for absent).
struct Case {
    default_ttl: DefaultTtl,
    ttl: ItemTtl,
    plain_default: i64,
    plain_ttl: i64,
    age_s: i64,
}

/// Every pair of kinds, at ages around the deadline.
fn cases() -> Vec<Case> {
    let defaults = [
        (Some(DefaultTtl::Off), 0),
        (Some(DefaultTtl::NoDefault), -1),
        (TtlSeconds::new(10).map(DefaultTtl::Seconds), 10),
    ];
    let ttls = [
        (Some(ItemTtl::Inherit), 0),
        (Some(ItemTtl::Never), -1),
        (TtlSeconds::new(5).map(ItemTtl::Seconds), 5),
    ];
    let mut all = Vec::new();
    for (default_ttl, plain_default) in defaults {
        for (ttl, plain_ttl) in ttls {
            for age_s in [0, 4, 5, 9, 10] {
                if let (Some(default_ttl), Some(ttl)) = (default_ttl, ttl) {
                    all.push(Case { default_ttl, ttl, plain_default, plain_ttl, age_s });
                }
            }
        }
    }
    all
}

#[inline(never)]
fn nothing(cases: &[Case]) {
    for case in cases {
        black_box(case);
    }
}

#[inline(never)]
fn shipped(cases: &[Case]) {
    for case in cases {
        let case = black_box(case);
        black_box(is_expired(lifetime(case.default_ttl, case.ttl), case.age_s));
    }
}

#[inline(never)]
fn by_hand(cases: &[Case]) {
    for case in cases {
        let case = black_box(case);
        black_box(match (case.plain_default, case.plain_ttl) {
            (0, _) | (_, -1) | (-1, 0) => false,
            (default, 0) => default <= case.age_s,
            (_, own) => own <= case.age_s,
        });
    }
}
