//! For people who build a sweeper: pick what is expired now, remove it later.
//!
//! Between the two anything may happen. Removing without looking again takes living items; so does looking whether the
//! item is still the same write, as soon as settings may change in between. Asking the rule again when removing is safe.

use std::sync::Arc;

use super::book::Book;
use super::engine::Machine;
use super::report::Scene;
use super::requests;
use super::step::{self, gone};
use super::storyboard;
use super::timeless::{Cap, Timeless, kept_etag};
use cosmos_ttl_model::container::{Item, ItemId, Request, Response, Rules, SettingsDraft, World};
use cosmos_ttl_model::semantics::Semantics;

/// What a sweeper asks before it removes what it picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Nothing.
    Nothing,
    /// Whether the item is still the write that was picked.
    SameEtag,
    /// Whether the rule says that the item is expired now.
    Rule,
}

const ITEM: ItemId = ItemId(0);

/// One item, its clients, and a sweeper.
#[derive(Clone, Debug)]
pub(super) struct Sweeper {
    semantics: Arc<dyn Semantics>,
    guard: Guard,
    cap: Cap,
    requests: Arc<[Request]>,
    book: Arc<Book<Sweep>>,
}

/// What is stored, and what the sweeper has picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Swept {
    world: Timeless,
    picked: Option<Picked>,
}

/// What the sweeper knows of what it picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Picked {
    /// It has not been written since.
    Same,
    /// It has been written, deleted or made anew since.
    Other,
}

/// What may happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A client asks.
    Ask(Request),
    /// A second passes.
    Pass,
    /// The sweeper picks the item.
    Pick,
    /// The sweeper removes what it picked, if its guard allows.
    Remove,
}

/// What happened.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    before: World,
    picked: Option<Picked>,
    did: Turn,
    answer: Option<Response>,
    after: World,
    oldest: i64,
}

impl Sweeper {
    pub(super) fn new(
        semantics: Arc<dyn Semantics>,
        guard: Guard,
        settings_change: bool,
        book: Book<Sweep>,
    ) -> Self {
        let cap = Cap::Longest(2);
        let all = requests::few(1, cap.longest()).into_iter();
        let requests =
            all.filter(|request| settings_change || !matches!(request, Request::Configure(_))).collect();
        Self { semantics, guard, cap, requests, book: Arc::new(book) }
    }

    fn remove(&self, world: &World, picked: Picked) -> World {
        let mut without = world.clone();
        without.items.remove(&ITEM);
        match (self.guard, picked) {
            (Guard::Nothing, _) | (Guard::SameEtag, Picked::Same) => without,
            (Guard::SameEtag, Picked::Other) => world.clone(),
            (Guard::Rule, _) => self.semantics.remove(world, ITEM).unwrap_or_else(|| world.clone()),
        }
    }
}

impl Machine for Sweeper {
    type State = Swept;
    type Move = Turn;
    type Ready = Swept;
    type Step = Sweep;

    fn start(&self) -> Vec<Swept> {
        let drafts = requests::settings_up_to(self.cap.longest()).into_iter().map(requests::consistent);
        let worlds = drafts.filter_map(|draft| self.semantics.open(Rules::default(), 0, draft).ok());
        worlds.map(|world| Swept { world: Timeless::of(&world, self.cap), picked: None }).collect()
    }

    fn moves(&self, _: &Swept) -> Vec<Turn> {
        let mut all: Vec<Turn> = self.requests.iter().cloned().map(Turn::Ask).collect();
        all.extend([Turn::Pass, Turn::Pick, Turn::Remove]);
        all
    }

    fn ready(&self, state: &Swept) -> Swept {
        *state
    }

    fn take(&self, state: &Swept, choice: Turn) -> Option<(Sweep, Swept)> {
        let before = state.world.world();
        let mut picked = state.picked;
        let (after, answer) = match &choice {
            Turn::Ask(request) => {
                let (after, answer) = self.semantics.step(&before, Rules::default(), request);
                (after, Some(answer))
            }
            Turn::Pass => (self.semantics.pass(&before, 1), None),
            Turn::Pick => {
                self.semantics.remove(&before, ITEM)?;
                picked = Some(Picked::Same);
                (before.clone(), None)
            }
            Turn::Remove => (self.remove(&before, picked.take()?), None),
        };
        let same = after.items.get(&ITEM).is_some_and(|item| item.etag == kept_etag(ITEM));
        let next = Swept {
            world: Timeless::of(&after, self.cap),
            picked: picked.map(|known| if same { known } else { Picked::Other }),
        };
        let oldest = i64::from(self.cap.longest());
        Some((Sweep { before, picked: state.picked, did: choice, answer, after, oldest }, next))
    }

    fn book(&self) -> &Book<Sweep> {
        &self.book
    }

    fn opening(&self, start: &Swept) -> SettingsDraft {
        step::opening(&start.world.world())
    }

    fn look(&self, state: &Swept) -> Vec<Scene> {
        step::look(&*self.semantics, Rules::default(), &state.world.world(), i64::from(self.cap.longest()))
    }

    fn words(&self, choice: &Turn) -> String {
        match choice {
            Turn::Ask(request) => storyboard::words(request),
            Turn::Pass => "a second passes".to_string(),
            Turn::Pick => "the sweeper picks a".to_string(),
            Turn::Remove => "the sweeper removes a, if its guard allows".to_string(),
        }
    }

    fn scenes(&self, step: &Sweep) -> Vec<Scene> {
        match (&step.did, &step.answer) {
            (Turn::Ask(request), Some(response)) => {
                vec![Scene::Asked {
                    request: request.clone(),
                    response: response.clone(),
                    oldest: step.oldest,
                }]
            }
            (Turn::Pick, _) => vec![Scene::Noted("the sweeper picks a".to_string())],
            (Turn::Remove, _) if step.takes().is_some() => vec![Scene::Removed(ITEM)],
            (Turn::Remove, _) => vec![Scene::Noted("the sweeper leaves a alone".to_string())],
            (Turn::Pass | Turn::Ask(_), _) => vec![Scene::Passed],
        }
    }
}

impl Sweep {
    /// The item that the sweeper takes out of store with this step.
    fn takes(&self) -> Option<&Item> {
        let stored = self.before.items.get(&ITEM).filter(|_| self.did == Turn::Remove);
        stored.filter(|_| self.after.items.is_empty())
    }

    fn takes_living(&self) -> bool {
        self.takes().is_some_and(|item| !gone(&self.before, item))
    }

    /// Whether the sweeper finds a living item in the place of the one that it picked, and leaves it.
    fn spares(&self, picked: Picked) -> bool {
        let living = self.before.items.get(&ITEM).is_some_and(|item| !gone(&self.before, item));
        self.did == Turn::Remove && self.picked == Some(picked) && living && self.takes().is_none()
    }
}

/// Of a sweeper that is safe, settings standing or not.
pub(super) fn safe(settings_change: bool) -> Book<Sweep> {
    let mut book: Book<Sweep> = Book::new();
    book.section("purge");
    book.law(
        &["purge-spares-recreated", "purge-only-expired"],
        ("the sweeper takes no item that is visible when it removes", |sweep| !sweep.takes_living()),
        ("the sweeper takes an expired item", |sweep| sweep.takes().is_some()),
    );
    book.sight(
        &["purge-spares-recreated"],
        ("the sweeper spares an item that was made anew since it picked", |sweep| {
            sweep.spares(Picked::Other)
        }),
    );
    if settings_change {
        book.sight(
            &["purge-only-expired", "reappearance"],
            ("the sweeper spares the very item that it picked, for settings have changed", |sweep| {
                sweep.spares(Picked::Same)
            }),
        );
    }
    book
}

/// Of a sweeper that is not.
pub(super) fn unsafe_without_looking() -> Book<Sweep> {
    let mut book: Book<Sweep> = Book::new();
    book.section("purge");
    book.law(
        &["purge-only-expired"],
        ("the sweeper picks only what is expired when it picks", |sweep| {
            sweep.did != Turn::Pick || sweep.before.items.values().all(|item| gone(&sweep.before, item))
        }),
        ("the sweeper takes a visible item all the same", Sweep::takes_living),
    );
    book
}
