//! A world without instants: only ages.
//!
//! Two worlds that differ in when they happen, in which numbers their etags are and in what their items hold answer
//! alike, shifted and renamed. And no client can tell an age that has reached the longest lifetime in play from a greater
//! one. So finitely many states stand for unbounded time: for `K` items and lifetimes up to `N` seconds they are
//! (N+2)(1+(N+2)(N+1))^K. That this is sound is not assumed but checked, step by step, against worlds with a clock.

use core::fmt;

use cosmos_ttl_model::container::{Content, Etag, Index, Indexing, Item, ItemId, Settings, World};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds};

const MAX_ITEMS: usize = 2;

/// The etag that the next write gives.
pub(super) const NEXT_ETAG: Etag = Etag(2);

/// The content that a write brings. What is stored is known by the item's own number instead (see [`kept_content`]).
pub(super) const NEW: Content = Content(9);

/// The content of an item that was stored before the request.
pub(super) fn kept_content(id: ItemId) -> Content {
    Content(id.0)
}

/// The etag of an item that was stored before the request.
pub(super) fn kept_etag(id: ItemId) -> Etag {
    Etag(id.0)
}

/// An etag that no item has.
pub const STALE: Etag = Etag(u32::MAX);

/// Beyond which age nothing changes any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgeCap {
    /// The longest lifetime in play, for every item.
    Longest(u8),
    /// The item's own `ttl`; for an item without one, the longest lifetime in play.
    Own(u8),
}

impl AgeCap {
    pub(super) fn longest(self) -> u8 {
        match self {
            Self::Longest(seconds) | Self::Own(seconds) => seconds,
        }
    }

    /// This age, or the one beyond which nothing changes for an item with this `ttl`.
    pub(super) fn capped(self, ttl: ItemTtl, age_s: i64) -> i64 {
        let cap = match (self, ttl) {
            (Self::Longest(longest), _) | (Self::Own(longest), ItemTtl::Inherit) => i64::from(longest),
            (Self::Own(_), ItemTtl::Never) => 0,
            (Self::Own(_), ItemTtl::Seconds(own)) => own.get(),
        };
        age_s.clamp(0, cap)
    }
}

/// Stands for an absent `ttl` or `defaultTtl`; 0 is never valid.
const ABSENT: i8 = 0;

/// A stored item, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AgedItem {
    ttl: i8,
    age: u8,
}

/// A world, as far as any client can tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct AgedWorld {
    default_ttl: i8,
    indexing: Indexing,
    index: Index,
    items: [Option<AgedItem>; MAX_ITEMS],
}

impl AgedWorld {
    /// Returns a world with ages in place of instants.
    pub(super) fn of(world: &World, cap: AgeCap) -> Self {
        let mut items = [None; MAX_ITEMS];
        for (id, item) in &world.items {
            if let Some(slot) = usize::try_from(id.0).ok().and_then(|id| items.get_mut(id)) {
                let age = cap.capped(item.ttl, world.now.saturating_sub(item.ts));
                let age = u8::try_from(age).unwrap_or(u8::MAX);
                *slot = Some(AgedItem { ttl: ttl_code(item.ttl), age });
            }
        }
        let Settings { default_ttl, indexing } = world.settings;
        Self { default_ttl: default_code(default_ttl), indexing, index: world.index, items }
    }

    pub(super) fn index(self) -> Index {
        self.index
    }

    /// The world of second 0 that stands for all those.
    pub(super) fn world(self) -> World {
        let items = self.items.iter().zip((0..).map(ItemId)).filter_map(|(slot, id)| {
            let (ttl, ts) = (ttl_of((*slot)?.ttl), -i64::from((*slot)?.age));
            Some((id, Item { ttl, ts, etag: kept_etag(id), content: kept_content(id) }))
        });
        let settings = Settings { default_ttl: default_of(self.default_ttl), indexing: self.indexing };
        World { now: 0, settings, items: items.collect(), next_etag: NEXT_ETAG, index: self.index }
    }
}

/// In words, since stateright's Explorer shows states so.
impl fmt::Debug for AgedWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.default_ttl {
            ABSENT => write!(f, "no defaultTtl")?,
            number => write!(f, "defaultTtl {number}")?,
        }
        match self.indexing {
            Indexing::Consistent => {}
            Indexing::Lazy => write!(f, ", indexing lazy")?,
            Indexing::None => write!(f, ", indexing none")?,
        }
        if self.index == Index::Rebuilding {
            write!(f, ", the index is rebuilt")?;
        }
        for (aged, name) in self.items.iter().zip('a'..) {
            match aged {
                Some(aged) if aged.ttl == ABSENT => write!(f, "; {name}: no ttl, {} s old", aged.age)?,
                Some(aged) => write!(f, "; {name}: ttl {}, {} s old", aged.ttl, aged.age)?,
                None => {}
            }
        }
        if self.items.iter().all(Option::is_none) { write!(f, "; nothing is stored") } else { Ok(()) }
    }
}

fn seconds_code(seconds: TtlSeconds) -> i8 {
    i8::try_from(seconds.get()).unwrap_or(i8::MAX)
}

fn ttl_code(ttl: ItemTtl) -> i8 {
    match ttl {
        ItemTtl::Inherit => ABSENT,
        ItemTtl::Never => -1,
        ItemTtl::Seconds(seconds) => seconds_code(seconds),
    }
}

fn default_code(default_ttl: DefaultTtl) -> i8 {
    match default_ttl {
        DefaultTtl::Off => ABSENT,
        DefaultTtl::NoDefault => -1,
        DefaultTtl::Seconds(seconds) => seconds_code(seconds),
    }
}

fn ttl_of(code: i8) -> ItemTtl {
    match (code, TtlSeconds::new(i64::from(code))) {
        (ABSENT, _) => ItemTtl::Inherit,
        (_, Some(seconds)) => ItemTtl::Seconds(seconds),
        (_, None) => ItemTtl::Never,
    }
}

fn default_of(code: i8) -> DefaultTtl {
    match (code, TtlSeconds::new(i64::from(code))) {
        (ABSENT, _) => DefaultTtl::Off,
        (_, Some(seconds)) => DefaultTtl::Seconds(seconds),
        (_, None) => DefaultTtl::NoDefault,
    }
}
