//! The cheapest experiment that settles an open clause: breadth first over what a client of one container and one item may send.
//!
//! What the background does is as open as the clauses are. So the search goes from worlds to worlds: one in which nothing was
//! removed, and those in which the item was. Each request but the last has one answer in all of them, and raises no question.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Indexing, Operation, Request, Response, Status};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::choices::{Choose, MadeChoice, OpenChoice, every};
use cosmos_ttl_model::container::{self as model, Etag, Item, ItemId, Response as Answer, World};

use crate::reference::{Names, settings, status};
use crate::script::{Action, Call, Script};

/// The item, and its number in the model.
const ITEM: (&str, ItemId) = ("a", ItemId(0));
/// The most requests of a script, and the most seconds of all its waits: no lifetime that every store takes is longer than 1 s.
const MOST_REQUESTS: usize = 4;
const MOST_S: u64 = 2;

/// The shortest script whose last answer tells the values of a clause: the fewest requests, of those the fewest seconds.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// What is sent.
    pub script: Script,
    /// The last answer under each value of [`OpenChoice::values`].
    pub answers: [ValueAnswer; 2],
}

/// What a store answers under one value.
#[derive(Clone, Debug)]
pub struct ValueAnswer {
    /// The answer; an item in it is not told.
    pub response: Response,
    /// Whether a store may also answer so because its background has removed the item.
    pub or_removed: bool,
}

/// What may be sent, in the order in which equally cheap scripts are preferred: each container and the change to it, and everything
/// about the item. A condition means the etag that was seen last.
pub fn alphabet() -> Vec<Call> {
    let literal = |text: &str| Literal::parse(text).ok();
    let containers = [Indexing::Consistent, Indexing::Lazy].into_iter().flat_map(|indexing| {
        [None, literal("null"), literal("-1"), literal("1"), literal("10.0")]
            .map(|default_ttl| Container { default_ttl, indexing })
    });
    let settings = containers.flat_map(|container| {
        [Request::CreateContainer(container.clone()), Request::ReplaceContainer(container)].map(Call::plain)
    });
    let item = |operation| Call::plain(Request::Item(operation));
    let writes = [None, literal("1"), literal("0"), literal("10.0")].into_iter().flat_map(|ttl| {
        let properties = ttl.into_iter().map(|ttl| ("ttl".to_owned(), ttl)).collect();
        let document = Document { id: ITEM.0.into(), properties };
        let replace = item(Operation::Replace(document.clone(), None));
        [
            item(Operation::Create(document.clone())),
            item(Operation::Upsert(document)),
            Call { conditions: vec![(0, Condition::Seen)], ..replace.clone() },
            replace,
        ]
    });
    let others = [
        item(Operation::Read(ITEM.0.into())),
        item(Operation::Delete(ITEM.0.into(), None)),
        Call::plain(Request::Count),
        Call::plain(Request::Query),
    ];
    settings.chain(others).chain(writes).collect()
}

/// Sends a request to a world, `None` before there is a container; `None` if it cannot be sent there.
pub fn send(world: Option<&World>, call: &Call, choose: &mut dyn Choose) -> Option<(Option<World>, Answer)> {
    let Some(world) = world else {
        let Request::CreateContainer(container) = &call.request else { return None };
        return Some(match World::new(0, settings(container), choose) {
            Ok(world) => (Some(world), Answer::Configured),
            Err(refusal) => (None, Answer::Refused(refusal)),
        });
    };
    if matches!(call.request, Request::CreateContainer(_)) {
        return None;
    }
    let mut request = Names::of(&[ITEM.0.into()]).request(world, &call.request);
    if let (model::Request::Item(model::Operation::Replace { if_match, .. }), false) =
        (&mut request, call.conditions.is_empty())
    {
        // Of the only item, the last etag is the one seen last.
        *if_match = Some(Etag(world.next_etag.0.checked_sub(1)?));
    }
    let mut next = world.clone();
    let answer = next.answer(&request, choose);
    Some((Some(next), answer))
}

/// The worlds in which a container may be that has answered alike in all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Worlds {
    kept: Option<World>,
    /// The item was removed at some time.
    removed: BTreeSet<Option<World>>,
}

impl Worlds {
    /// The worlds after something, if it has one answer and raises no question.
    fn after(
        &self,
        act: impl Fn(Option<&World>, &mut dyn Choose) -> Option<(Option<World>, Answer)>,
    ) -> Option<Self> {
        let mut all = Vec::new();
        for world in [&self.kept].into_iter().chain(&self.removed) {
            let [(_, one)] = <[_; 1]>::try_from(every(|path| act(world.as_ref(), path))).ok()?;
            all.push(one?);
        }
        let answers: Option<BTreeSet<_>> = all.iter().map(|(_, answer)| shown(answer)).collect();
        if answers?.len() != 1 {
            return None;
        }
        let mut next = all.into_iter().map(|(world, _)| world);
        let kept = next.next()?;
        let mut removed: BTreeSet<_> = next.collect();
        for world in [&kept].into_iter().chain(&removed.clone()) {
            let mut without = world.clone();
            if without.as_mut().is_some_and(|world| world.remove(ITEM.1)) {
                removed.insert(without);
            }
        }
        removed.remove(&kept);
        Some(Self { kept, removed })
    }

    /// The answer to a last request under each value; `None` if it does not tell them apart, whatever else is chosen.
    fn settles(&self, call: &Call, choice: OpenChoice) -> Option<[ValueAnswer; 2]> {
        let answers = |world: &Option<World>, yes: Option<bool>| -> Option<BTreeSet<Answer>> {
            let all = every(|path| send(world.as_ref(), call, path));
            let fits = |made: &[_]| {
                let about = |one: &&MadeChoice| one.choice == choice;
                let mut all = made.iter().filter(about).peekable();
                yes.is_none_or(|yes| all.peek().is_none() || all.any(|one| one.yes == yes))
            };
            all.into_iter().filter(|(made, _)| fits(made)).map(|(_, sent)| shown(&sent?.1)).collect()
        };
        let mut gone = BTreeSet::new();
        for world in &self.removed {
            gone.extend(answers(world, None)?);
        }
        let values = if choice == OpenChoice::ExpiredIsGone {
            let of_kept = answers(&self.kept, None)?;
            [of_kept, std::mem::take(&mut gone)]
        } else {
            let is_stored = self.kept.as_ref().is_some_and(|world| world.expired(ITEM.1).is_some());
            // An open clause about expired items is about those that are still stored; with others no removal matters.
            if choice.clause().starts_with("expired-") != is_stored || !is_stored && !self.removed.is_empty()
            {
                return None;
            }
            [answers(&self.kept, Some(false))?, answers(&self.kept, Some(true))?]
        };
        // Each value has one answer.
        let only = |mut all: BTreeSet<Answer>| all.pop_first().filter(|_| all.is_empty());
        let [Some(no), Some(yes)] = values.map(only) else { return None };
        let told = |answer: Answer| ValueAnswer {
            response: match (&call.request, &answer) {
                (Request::CreateContainer(_), Answer::Configured) => Response::new(Status::Created),
                (_, Answer::Count { .. }) => Names::default().response(None, &answer),
                _ => Response::new(status(&answer)),
            },
            or_removed: gone.contains(&answer),
        };
        (no != yes).then(|| [no, yes].map(told))
    }
}

/// What a client sees of an answer of a world in which nothing more was removed; `None` where any answer may come.
fn shown(answer: &Answer) -> Option<Answer> {
    let item = |item: &Item| Item { ttl: None, has_wrong_ttl: false, ..*item };
    Some(match answer {
        Answer::AnyIds | Answer::Count { most: None, .. } => return None,
        Answer::Count { most: Some(most), .. } => Answer::Count { least: *most, most: Some(*most) },
        Answer::Created(written) => Answer::Created(item(written)),
        Answer::Ok(written) => Answer::Ok(item(written)),
        Answer::Found(found) => Answer::Found(item(found)),
        answer => answer.clone(),
    })
}

/// Returns the experiment of each clause that a client can settle, in the order of the choices.
pub fn experiments() -> BTreeMap<OpenChoice, Experiment> {
    let alphabet = alphabet();
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::new();
    // By the number of requests, then by the seconds.
    let mut work = BTreeMap::from([((0, 0), vec![(Worlds::default(), Vec::new())])]);
    while let Some(((requests, seconds), level)) = work.pop_first() {
        for (worlds, actions) in level {
            if !seen.insert(worlds.clone()) {
                continue;
            }
            for call in &alphabet {
                let then: Vec<_> = actions.iter().cloned().chain([Action::Call(call.clone())]).collect();
                for (choice, _) in OpenChoice::listed() {
                    if !found.contains_key(&choice)
                        && let Some(answers) = worlds.settles(call, choice)
                    {
                        let script = Script::of(then.clone().into_iter());
                        found.insert(choice, Experiment { script, answers });
                    }
                }
                if requests + 1 < MOST_REQUESTS
                    && let Some(after) = worlds.after(|world, path| send(world, call, path))
                {
                    work.entry((requests + 1, seconds)).or_default().push((after, then));
                }
            }
            let wait = |world: Option<&World>, _: &mut dyn Choose| {
                let mut world = world?.clone();
                world.wait(1);
                Some((Some(world), Answer::NoContent))
            };
            if seconds < MOST_S
                && let Some(after) = worlds.after(wait)
            {
                let then = actions.into_iter().chain([Action::Wait(1)]).collect();
                work.entry((requests, seconds + 1)).or_default().push((after, then));
            }
        }
    }
    found
}
