//! The choices that the open clauses leave, each once.
//!
//! While the model answers a request it asks, wherever a clause is open, for a choice ([`Choose`]). [`Preferences`] answer
//! always alike; [`every`] tries all answers. So the answers of the model are a relation, and there is one code path.

use alloc::vec::Vec;

use crate::container::ItemId;

/// How far a choice reaches: made once, it holds for the whole target, for the item, or for nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binds {
    Target,
    Item,
    Nothing,
}

/// Each choice with its question, the id of its clause, the clause's values for *no* and *yes*, and how far it reaches. A
/// choice without values comes with another of its clause.
macro_rules! open_choices {
    ($($(#[$question:meta])+ $name:ident: $clause:literal $([$no:literal, $yes:literal])? $binds:ident;)+) => {
        /// A question that an open clause leaves. *No* is the answer that the evidence favours.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum OpenChoice {
            $($(#[$question])+ $name,)+
        }

        impl OpenChoice {
            /// Every choice, in the order of the clauses.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            const fn row(self) -> (&'static str, &'static [[&'static str; 2]], Binds) {
                match self {
                    $(Self::$name => ($clause, &[$([$no, $yes])?], Binds::$binds),)+
                }
            }
        }
    };
}

open_choices! {
    /// Is a null `defaultTtl` of a new container a bad request? All five documents say: as good as absent.
    NewNullIsRefused: "container-null-at-creation" ["off", "rejected"] Target;
    /// Is a null `defaultTtl` that replaces another a bad request?
    NullIsRefused: "container-null-in-replacement" ["off", "rejected"] Target;
    /// Is a `ttl` of 10.0 the whole number 10?
    FractionIsAccepted: "item-integral-fraction" ["rejected", "accepted"] Item;
    /// Is a `defaultTtl` of 10.0 the whole number 10?
    DefaultFractionIsAccepted: "item-integral-fraction" Nothing;
    /// While the container is off, is a wrong `ttl` stored as ordinary data?
    WrongTtlIsStored: "item-invalid-while-off" ["rejected", "stored"] Item;
    /// Does an item with a stored wrong `ttl` never expire once the container is on? Otherwise it inherits.
    WrongTtlIsForever: "item-invalid-while-off" Nothing;
    /// Once the container is on, is a patch refused that leaves a stored wrong `ttl` as it is?
    WrongTtlBlocksPatch: "item-invalid-while-off" Nothing;
    /// Of two refusals that apply to a request, is the later one answered?
    LaterRefusalIsAnswered: "refusal-order" ["first", "later"] Nothing;
    /// Does COUNT see expired items that are still stored?
    ExpiredAreCounted: "expired-in-aggregates" ["excluded", "counted"] Nothing;
    /// Does an upsert over an expired item that is still stored answer as one that replaces?
    ExpiredIsReplaced: "expired-upsert-status" ["created", "replaced"] Nothing;
    /// Is a conditional write of an expired item refused for its condition?
    ExpiredFailsPrecondition: "expired-precondition" ["not-found", "precondition-failed"] Nothing;
    /// Does a query miss items, or show deleted and expired ones, while a lazy index is rebuilt?
    IndexLags: "lazy-index-may-lag" ["complete", "incomplete"] Nothing;
    /// Is the index rebuilt although no `defaultTtl` was changed under lazy indexing?
    IndexIsRebuilt: "lazy-index-may-lag" Nothing;
    /// Is an expired item gone for good? No request asks: it follows from when the background removed it.
    ExpiredIsGone: "reappearance" ["back", "gone"] Item;
}

impl OpenChoice {
    /// The id of the clause.
    pub fn clause(self) -> &'static str {
        self.row().0
    }

    /// The values of the clause that stand for *no* and for *yes*, if the clause lists them.
    pub fn values(self) -> Option<[&'static str; 2]> {
        self.row().1.first().copied()
    }

    /// How far the choice reaches.
    pub fn binds(self) -> Binds {
        self.row().2
    }

    /// Returns every choice with the values of its clause, those without left out.
    pub fn listed() -> impl Iterator<Item = (Self, [&'static str; 2])> {
        Self::ALL.iter().filter_map(|choice| Some((*choice, choice.values()?)))
    }
}

/// Answers the model's questions.
pub trait Choose {
    /// Returns the answer to a question that this item raises, or that no single one raises.
    fn choose(&mut self, choice: OpenChoice, item: Option<ItemId>) -> bool;
}

/// The same answer to the same question, always: *yes* to these, *no* to all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Preferences(u16);

impl Preferences {
    /// Returns the answer to a question.
    pub fn has(self, choice: OpenChoice) -> bool {
        self.0 & 1 << choice as u16 != 0
    }

    /// The same with this answer.
    #[must_use]
    pub fn with(self, choice: OpenChoice, yes: bool) -> Self {
        let bit = 1 << choice as u16;
        Self(if yes { self.0 | bit } else { self.0 & !bit })
    }
}

impl Choose for Preferences {
    fn choose(&mut self, choice: OpenChoice, _: Option<ItemId>) -> bool {
        self.has(choice)
    }
}

/// An answer that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub struct MadeChoice {
    pub choice: OpenChoice,
    pub item: Option<ItemId>,
    pub yes: bool,
}

/// One way through a request: some answers, then *no* to every further question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    made: Vec<MadeChoice>,
    asked: usize,
}

impl Choose for Path {
    fn choose(&mut self, choice: OpenChoice, item: Option<ItemId>) -> bool {
        let known = self.made.iter().take(self.asked);
        // Within a request, too, a choice that binds is made once.
        if let Some(made) = known.copied().find(|made| (made.choice, made.item) == (choice, item))
            && choice.binds() != Binds::Nothing
        {
            return made.yes;
        }
        if self.asked == self.made.len() {
            self.made.push(MadeChoice { choice, item, yes: false });
        }
        let yes = self.made.get(self.asked).is_some_and(|made| made.yes);
        self.asked = self.asked.saturating_add(1);
        yes
    }
}

/// Returns what comes of each way of choosing, with the choices that were made on it, all answered with *no* first.
pub fn every<T>(mut run: impl FnMut(&mut Path) -> T) -> Vec<(Vec<MadeChoice>, T)> {
    let mut all = Vec::new();
    let mut path = Path::default();
    loop {
        let result = run(&mut path);
        all.push((path.made.clone(), result));
        // The next way: the last *no* becomes *yes*, and what was asked after it is asked anew.
        while path.made.pop_if(|last| last.yes).is_some() {}
        let Some(last) = path.made.last_mut() else { return all };
        last.yes = true;
        path.asked = 0;
    }
}
