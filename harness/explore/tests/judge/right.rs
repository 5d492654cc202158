//! Right stores, whatever becomes of their log on the way: no line is ever a contradiction.

use cosmos_ttl_explore::judge::LineVerdict;
use cosmos_ttl_explore::random_vectors;
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::request_log::{LogClock, LogTime, LoggedExchange};
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_mutants::{CONTROLS, FaultyStore};
use cosmos_ttl_testing::suite;

use crate::{check_right, exchanges, logged};

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.roll() % most
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

/// What happens to a log on its way.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    /// It has the times of a clock of its own, and requests overlap by up to so many microseconds.
    latency_us: u64,
    /// One answer in so many is lost; so many lines are cut off, missing or unreadable.
    lost: u64,
    cut: bool,
    foreign: u64,
    garbled: u64,
}

const FATES: [(&str, Fate, bool); 11] = {
    const NONE: Fate = Fate { latency_us: 0, lost: 0, cut: false, foreign: 0, garbled: 0 };
    [
        ("whole", NONE, true),
        ("whole, with others", NONE, false),
        ("lost", Fate { lost: 8, ..NONE }, true),
        ("cut", Fate { cut: true, ..NONE }, true),
        ("foreign", Fate { foreign: 3, ..NONE }, false),
        ("garbled", Fate { garbled: 6, ..NONE }, true),
        ("another clock", Fate { latency_us: 20_000, ..NONE }, true),
        ("overlapping", Fate { latency_us: 900_000, ..NONE }, true),
        ("overlapping and lost", Fate { latency_us: 500_000, lost: 10, ..NONE }, true),
        ("overlapping and garbled", Fate { latency_us: 500_000, garbled: 10, cut: true, ..NONE }, true),
        ("everything", Fate { latency_us: 900_000, lost: 9, cut: true, foreign: 5, garbled: 9 }, false),
    ]
};

/// Returns the log as it arrives.
fn spoilt(lines: &[LoggedExchange], fate: Fate, dice: &mut Dice) -> Vec<u8> {
    let mut lines = lines.to_vec();
    if fate.foreign > 0 {
        lines.retain(|one| one.request.container().is_some() || !dice.one_in(fate.foreign));
    }
    if fate.latency_us > 0 {
        slow(&mut lines, fate.latency_us, dice);
    }
    let mut all = Vec::new();
    for (number, mut one) in lines.into_iter().enumerate() {
        if fate.lost > 0 && dice.one_in(fate.lost) {
            (one.received, one.answer) = (None, None);
        }
        if fate.cut && number < 7 {
            continue;
        }
        let mut line = serde_json::to_string(&one).unwrap();
        if fate.garbled > 0 && dice.one_in(fate.garbled) {
            line = match dice.below(4) {
                0 => line.chars().take(line.len() / 2).collect(),
                1 => line.replace("\"sent\"", "\"sandt\""),
                2 => line.replace("{\"item\":", "{\"idem\":"),
                _ => line.replace("\"answer\":{", "\"answer\":{\"other\":[],\"ids\":7,"),
            };
        }
        all.extend((line + "\n").into_bytes());
    }
    all
}

/// Gives each exchange the times of another clock, so that it was dealt with between them, in its second.
fn slow(lines: &mut [LoggedExchange], latency_us: u64, dice: &mut Dice) {
    let (mut container, mut offset_us, mut at_us, mut second_us) = (String::new(), 0, 0, i64::MIN);
    for at in 0..lines.len() {
        let behind = lines[at..]
            .iter()
            .take_while(|one| one.container == lines[at].container && one.sent == lines[at].sent);
        let room_us = 900_000 / behind.count() as u64;
        let one = &mut lines[at];
        if one.container != container {
            (container, second_us) = (one.container.clone(), i64::MIN);
            offset_us = dice.below(3_000_000).cast_signed() - 1_000_000;
        }
        if second_us != one.sent.us {
            (second_us, at_us) = (one.sent.us, one.sent.us);
        }
        at_us += 1 + dice.below(room_us.min(900_000)).cast_signed();
        at_us = at_us.min(second_us + 999_999);
        let time = |us: i64| LogTime { us: us + offset_us };
        one.sent = time(at_us - dice.below(latency_us).cast_signed());
        one.received = one.received.map(|_| time(at_us + dice.below(latency_us).cast_signed()));
        one.clock = LogClock::Writer;
    }
    // A line is written when the answer is there.
    lines.sort_by_key(|one| one.received.unwrap_or(one.sent));
}

#[test]
fn no_right_store_is_accused() {
    let controls = CONTROLS.iter().map(|one| Box::new(FaultyStore::from(one.store)) as Box<dyn Target>);
    let stores: Vec<Box<dyn Target>> =
        [Box::new(Reference::default()) as Box<dyn Target>].into_iter().chain(controls).collect();
    let seeds: u64 = std::env::var("JUDGE_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1);
    let mut counts = std::collections::BTreeMap::<_, (usize, usize)>::new();
    for seed in 0..seeds {
        let vectors = random_vectors(suite(), 4, seed * 1_000 + 1);
        let vectors: Vec<_> =
            vectors.iter().chain(suite().vectors.iter().skip(seed as usize % 48).step_by(48)).collect();
        for (number, store) in stores.iter().enumerate() {
            let lines = exchanges(&logged(store.as_ref(), &vectors));
            for (name, fate, is_sole_writer) in FATES {
                let mut dice = Dice(seed * 100 + number as u64);
                let log = spoilt(&lines, fate, &mut dice);
                let judgement =
                    check_right(&format!("{name}, store {number}, seed {seed}"), &log, is_sole_writer);
                let count = counts.entry(name).or_default();
                count.0 += judgement.lines.len();
                count.1 += judgement.count(|verdict| verdict == LineVerdict::Possible);
            }
        }
    }
    for (name, (all, possible)) in counts {
        println!("{name}: {possible} of {all}");
        assert!(possible > all / 20, "{name}: {possible} of {all} lines are judged");
    }
}
