//! Random scripts. Every script is legal, and so is every part of it: that is what lets a failing one shrink.

use std::collections::BTreeMap;
use std::fmt;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Etag, Indexing, Operation, Patch, Properties, Removal, Request,
};
use cosmos_ttl_model::rule::Sent;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use cosmos_ttl_testing::choices::COUNT;

/// Values of `ttl` and `defaultTtl`, simplest first, and what the model is to take each for.
pub(crate) const TTLS: [(Option<&str>, Sent); 20] = [
    (None, Sent::Absent),
    (Some("1"), Sent::Whole(1)),
    (Some("2"), Sent::Whole(2)),
    (Some("3"), Sent::Whole(3)),
    (Some("-1"), Sent::Whole(-1)),
    (Some("2147483647"), Sent::Whole(2_147_483_647)),
    (Some("null"), Sent::Null),
    (Some("0"), Sent::Whole(0)),
    (Some("-2"), Sent::Whole(-2)),
    (Some("2147483648"), Sent::Whole(2_147_483_648)),
    (Some("4294967298"), Sent::Whole(4_294_967_298)),
    (Some("18446744073709551618"), Sent::Other),
    (Some("2.0"), Sent::WholeAsFraction(2)),
    (Some("20e-1"), Sent::WholeAsFraction(2)),
    (Some("-1.0"), Sent::WholeAsFraction(-1)),
    (Some("1e400"), Sent::Other),
    (Some("1.5"), Sent::Other),
    (Some("\"2\""), Sent::Other),
    (Some("true"), Sent::Other),
    (Some("[2]"), Sent::Other),
];

/// Properties that are none of the setting's business.
const OTHERS: [Option<(&str, &str)>; 4] =
    [None, Some(("_ttl", "1")), Some(("_ts", "7")), Some(("x", "{\"ttl\": 1}"))];

/// How a container is opened, and what happens in it.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) edition: Edition,
    pub(crate) choices: u16,
    pub(crate) removal: Removal,
    pub(crate) settings: Settings,
    pub(crate) actions: Vec<Action>,
}

/// A container's settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    ttl: usize,
    indexing: Indexing,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Pass(u64),
    Remove(u8),
    Call(Call),
}

/// A request, etags aside.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Configure(Settings),
    One(One),
    Batch(Vec<One>),
    Query,
    List,
    Count,
}

/// An operation on one item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct One {
    pub(crate) verb: Verb,
    pub(crate) id: u8,
    ttl: usize,
    value: u8,
    other: usize,
    pub(crate) condition: Condition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Upsert,
    Replace,
    PatchTtl,
    PatchTtlAway,
    PatchValue,
    Read,
    Delete,
}

/// Which etag a write requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    None,
    Last,
    Stale,
    Foreign,
}

/// The name of an item.
pub(crate) fn id(number: u8) -> String {
    format!("i{number}")
}

impl Settings {
    pub(crate) fn container(self) -> Container {
        Container { default_ttl: literal(self.ttl), indexing: self.indexing }
    }
}

impl Call {
    /// The request, with what each condition means.
    pub(crate) fn request(&self, etag: &dyn Fn(One) -> Option<Etag>) -> Request {
        match self {
            Self::Configure(settings) => Request::ReplaceContainer(settings.container()),
            Self::One(one) => Request::Item(one.operation(etag)),
            Self::Batch(ones) => Request::Batch(ones.iter().map(|one| one.operation(etag)).collect()),
            Self::Query => Request::Query,
            Self::List => Request::List,
            Self::Count => Request::Count,
        }
    }
}

impl One {
    fn operation(self, etag: &dyn Fn(Self) -> Option<Etag>) -> Operation {
        let id = id(self.id);
        let patch = |set: Properties, remove: &[&str]| {
            let remove = remove.iter().map(|name| (*name).to_owned()).collect();
            Operation::Patch(Patch { id: id.clone(), set, remove }, etag(self))
        };
        match self.verb {
            Verb::Create => Operation::Create(self.document()),
            Verb::Upsert => Operation::Upsert(self.document()),
            Verb::Replace => Operation::Replace(self.document(), etag(self)),
            Verb::PatchTtl => match literal(self.ttl) {
                Some(ttl) => patch(BTreeMap::from([("ttl".into(), ttl)]), &[]),
                None => patch(self.value(), &["ttl"]),
            },
            Verb::PatchTtlAway => patch(BTreeMap::new(), &["ttl"]),
            Verb::PatchValue => patch(self.content(), &[]),
            Verb::Read => Operation::Read(id),
            Verb::Delete => Operation::Delete(id, etag(self)),
        }
    }

    fn document(self) -> Document {
        let mut properties = self.content();
        properties.extend(literal(self.ttl).map(|ttl| ("ttl".into(), ttl)));
        Document { id: id(self.id), properties }
    }

    fn content(self) -> Properties {
        let mut properties = self.value();
        properties
            .extend(OTHERS[self.other].map(|(name, text)| (name.into(), Literal::parse(text).unwrap())));
        properties
    }

    fn value(self) -> Properties {
        BTreeMap::from([("value".into(), Literal::from(i64::from(self.value)))])
    }
}

fn literal(ttl: usize) -> Option<Literal> {
    TTLS[ttl].0.map(|text| Literal::parse(text).unwrap())
}

/// All of it.
pub(crate) fn scripts() -> impl Strategy<Value = Script> {
    let removal = prop_oneof![Just(Removal::Never), Just(Removal::Eager), Just(Removal::Alternate)];
    let edition = prop_oneof![Just(Edition::Y2024), Just(Edition::Y2020)];
    let start = (0..6_usize, indexing()).prop_map(|(ttl, indexing)| Settings { ttl, indexing });
    (edition, 0..COUNT, removal, start, vec(actions(), 0..24)).prop_map(
        |(edition, choices, removal, settings, actions)| Script {
            edition,
            choices,
            removal,
            settings,
            actions,
        },
    )
}

fn actions() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => ones().prop_map(|one| Action::Call(Call::One(one))),
        6 => (1..4_u64).prop_map(Action::Pass),
        1 => prop_oneof![Just(2_147_483_646), Just(2_147_483_647)].prop_map(Action::Pass),
        2 => Just(Action::Call(Call::Query)),
        1 => Just(Action::Call(Call::List)),
        1 => Just(Action::Call(Call::Count)),
        2 => (0..3_u8).prop_map(Action::Remove),
        3 => settings().prop_map(|settings| Action::Call(Call::Configure(settings))),
        1 => vec(ones(), 1..4).prop_map(|ones| Action::Call(Call::Batch(ones))),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    (ttls(), indexing()).prop_map(|(ttl, indexing)| Settings { ttl, indexing })
}

fn indexing() -> impl Strategy<Value = Indexing> {
    prop_oneof![6 => Just(Indexing::Consistent), 1 => Just(Indexing::Lazy), 1 => Just(Indexing::None)]
}

/// Mostly settings, sometimes anything.
fn ttls() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0..6_usize, 1 => 0..TTLS.len()]
}

fn ones() -> impl Strategy<Value = One> {
    let verb = prop_oneof![
        4 => Just(Verb::Create),
        2 => Just(Verb::Upsert),
        2 => Just(Verb::Replace),
        1 => Just(Verb::PatchTtl),
        1 => Just(Verb::PatchTtlAway),
        1 => Just(Verb::PatchValue),
        3 => Just(Verb::Read),
        1 => Just(Verb::Delete),
    ];
    let condition = prop_oneof![
        4 => Just(Condition::None),
        2 => Just(Condition::Last),
        1 => Just(Condition::Stale),
        1 => Just(Condition::Foreign),
    ];
    let other = prop_oneof![4 => Just(0_usize), 1 => 0..OTHERS.len()];
    (verb, 0..3_u8, ttls(), any::<bool>(), other, condition).prop_map(
        |(verb, id, ttl, value, other, condition)| One {
            verb,
            id,
            ttl,
            value: u8::from(value),
            other,
            condition,
        },
    )
}

impl fmt::Display for Script {
    /// One line a move, times merged: what a person is shown of a failure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { edition, choices, removal, settings, .. } = self;
        writeln!(
            f,
            "edition {edition}, choices {choices:#09b}, removal {removal}, {:?}",
            settings.container()
        )?;
        for step in self.merged() {
            match step {
                Action::Pass(seconds) => writeln!(f, "  {seconds} s pass")?,
                Action::Remove(number) => writeln!(f, "  the background takes {}", id(number))?,
                Action::Call(call) => {
                    writeln!(f, "  {:?}", call.request(&|one| Some(format!("{:?}", one.condition))))?;
                }
            }
        }
        Ok(())
    }
}

impl Script {
    /// The actions, with times that pass one after the other made one.
    pub(crate) fn merged(&self) -> Vec<Action> {
        let mut merged: Vec<Action> = Vec::new();
        for step in &self.actions {
            match (merged.last_mut(), step) {
                (Some(Action::Pass(sum)), Action::Pass(seconds)) => *sum += seconds,
                _ => merged.push(step.clone()),
            }
        }
        merged
    }
}

/// Shortens a failing script further: what a schedule of removal holds together cannot be taken out one by one.
pub(crate) fn shortened(mut script: Script, fails: impl Fn(&Script) -> bool) -> Script {
    script.actions = script.merged();
    loop {
        let next = simpler(&script).find(&fails);
        match next {
            Some(next) => script = next,
            None => return script,
        }
    }
}

fn simpler(script: &Script) -> impl Iterator<Item = Script> {
    let plain = [
        Script { removal: Removal::Never, ..script.clone() },
        Script { choices: 0, ..script.clone() },
        Script { edition: Edition::Y2024, ..script.clone() },
    ];
    let changed = |other: &Script| {
        (other.removal, other.choices, other.edition) != (script.removal, script.choices, script.edition)
    };
    let plain: Vec<_> = plain.into_iter().filter(changed).collect();
    let count = script.actions.len();
    let pairs = (0..count).flat_map(move |one| (one..count).map(move |other| (one, other)));
    let without = move |(one, other)| {
        let kept = script.actions.iter().enumerate().filter(|(number, _)| *number != one && *number != other);
        Script { actions: kept.map(|(_, step)| step.clone()).collect(), ..script.clone() }
    };
    plain.into_iter().chain(pairs.map(without))
}
