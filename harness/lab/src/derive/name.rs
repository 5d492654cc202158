//! What a derived vector is called, and the sentence over it.

use cosmos_ttl_checker::client::{Client, View};
use cosmos_ttl_model::container::{Operation, Request, TtlChange};
use cosmos_ttl_model::knowledge::Known;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

use super::LONGEST_S;
use super::project::ITEM;
use super::track::Track;
use cosmos_ttl_harness::vector::DERIVED;

/// What is done in a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Reads, queries and settings that change nothing.
    Looks,
    /// Writes that change nothing.
    Idle,
    /// Nothing: only time passes.
    Wait,
    /// A verb, and what comes of the setting.
    Does(&'static str, String),
}

impl Doing {
    /// A request that changes nothing.
    pub(super) fn idle(request: &Request) -> Self {
        match request {
            Request::Item(Operation::Read(_)) | Request::Query | Request::Configure(_) => Self::Looks,
            _ => Self::Idle,
        }
    }

    /// A request that changes something.
    pub(super) fn of(before: &View, request: &Request) -> Self {
        match request {
            Request::Item(operation) => Self::operation(before.known(ITEM), operation),
            Request::Configure(draft) => Self::Does("switch-to", default_word(draft.default_ttl)),
            _ => Self::Does("query", String::new()),
        }
    }

    fn operation(before: Known, operation: &Operation) -> Self {
        let open = matches!(before, Known::Open { .. });
        let verb = |verb, ttl| Self::Does(verb, word(ttl));
        match (before, operation) {
            (Known::Absent, Operation::Upsert(draft)) | (_, Operation::Create(draft)) => {
                verb("create", draft.ttl)
            }
            (Known::Living { .. }, Operation::Upsert(draft)) => verb("write", draft.ttl),
            (_, Operation::Upsert(draft)) => verb("upsert", draft.ttl),
            (_, Operation::Replace { draft, .. }) => verb(if open { "replace" } else { "write" }, draft.ttl),
            (Known::Living { ttl, .. } | Known::Open { ttl, .. }, Operation::Patch { ttl: change, .. }) => {
                match change {
                    TtlChange::Set(ttl) => verb("patch", *ttl),
                    TtlChange::Remove => verb("patch", Wire::Absent),
                    TtlChange::Keep if open => Self::Does("patch", "another-property".into()),
                    TtlChange::Keep => Self::Does("patch", ttl_word(ttl)),
                }
            }
            (_, Operation::Patch { .. }) => Self::Does("patch", String::new()),
            (_, Operation::Read(_)) => Self::Does("read", String::new()),
            (_, Operation::Delete { .. }) => Self::Does("delete", String::new()),
        }
    }

    fn slug(&self) -> String {
        match self {
            Self::Looks => "look".into(),
            Self::Idle => "write-in-vain".into(),
            Self::Wait => "wait".into(),
            Self::Does(verb, what) if what.is_empty() => (*verb).into(),
            Self::Does(verb, what) => format!("{verb}-{what}"),
        }
    }
}

/// `plain`, `never`, `ttl-1`
pub(super) fn word(ttl: Wire) -> String {
    match ttl {
        Wire::Whole(-1) => "never".into(),
        Wire::Whole(seconds) => format!("ttl-{seconds}"),
        _ => "plain".into(),
    }
}

fn ttl_word(ttl: ItemTtl) -> String {
    match ttl {
        ItemTtl::Inherit => "plain".into(),
        ItemTtl::Never => "never".into(),
        ItemTtl::Seconds(seconds) => format!("ttl-{}", seconds.get()),
    }
}

/// `off`, `no-default`, `default-1`
pub(super) fn default_word(ttl: Wire) -> String {
    match ttl {
        Wire::Whole(-1) => "no-default".into(),
        Wire::Whole(seconds) => format!("default-{seconds}"),
        _ => "off".into(),
    }
}

fn default_of(view: &View) -> String {
    default_word(match view.default_ttl() {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    })
}

/// The id, unique in the section since a view and what is done in it are.
pub(super) fn id(before: &View, doing: &Doing) -> String {
    let item = match before.known(ITEM) {
        Known::Absent => "nothing".into(),
        Known::Living { ttl, age_s } => format!("{}-aged-{age_s}", ttl_word(ttl)),
        Known::Expired { ttl, age_s } => format!("expired-{}-aged-{age_s}", ttl_word(ttl)),
        Known::Open { ttl, age_s } => format!("lapsed-{}-aged-{age_s}", ttl_word(ttl)),
    };
    format!("{DERIVED}{}-over-{item}-under-{}", doing.slug(), default_of(before))
}

/// The sentence.
pub(super) fn title(client: &Client, before: &View, doing: &Doing, after: &Track) -> String {
    let (default, then) = (default_words(before.default_ttl()), then(client, after));
    match doing {
        Doing::Does("switch-to", to) => {
            let to = to.strip_prefix("default-").map_or_else(
                || if to == "off" { "off".into() } else { "`defaultTtl` -1".into() },
                |seconds| format!("`defaultTtl` {seconds}"),
            );
            format!("After switching from {default} to {to} with {}, {then}", item_words(before))
        }
        Doing::Looks | Doing::Wait => {
            format!("After {} with {} under {default}, {then}", doing_words(doing), item_words(before))
        }
        Doing::Idle | Doing::Does(..) => {
            format!("After {} over {} under {default}, {then}", doing_words(doing), item_words(before))
        }
    }
}

fn item_words(view: &View) -> String {
    match view.known(ITEM) {
        Known::Absent => "nothing".into(),
        Known::Living { ttl, age_s } => format!("{} of age {age_s} s", ttl_words(ttl)),
        Known::Expired { ttl, age_s } => format!("{} that is expired at age {age_s} s", ttl_words(ttl)),
        Known::Open { ttl, age_s } => format!("{} of age {age_s} s that was expired once", ttl_words(ttl)),
    }
}

fn default_words(default_ttl: DefaultTtl) -> String {
    match default_ttl {
        DefaultTtl::Off => "off".into(),
        DefaultTtl::NoDefault => "`defaultTtl` -1".into(),
        DefaultTtl::Seconds(seconds) => format!("`defaultTtl` {}", seconds.get()),
    }
}

fn doing_words(doing: &Doing) -> String {
    let with = |what: &str| match what {
        "" => String::new(),
        "plain" => " without `ttl`".into(),
        "never" => " with `ttl` -1".into(),
        "another-property" => " of another property".into(),
        what => format!(" with `ttl` {}", what.trim_start_matches("ttl-")),
    };
    match doing {
        Doing::Looks => "looks that change nothing".into(),
        Doing::Idle => "writes that change nothing".into(),
        Doing::Wait => "a second".into(),
        Doing::Does(verb, what) => format!("{} {verb}{}", article(verb), with(what)),
    }
}

fn ttl_words(ttl: ItemTtl) -> String {
    match ttl {
        ItemTtl::Inherit => "an item without `ttl`".into(),
        ItemTtl::Never => "an item with `ttl` -1".into(),
        ItemTtl::Seconds(seconds) => format!("an item with `ttl` {}", seconds.get()),
    }
}

fn then(client: &Client, after: &Track) -> String {
    let Track::Sure(view) = after else {
        return "whether it is back or gone decides what follows".into();
    };
    let mut view = view.clone();
    for second in 0..=LONGEST_S {
        match (view.known(ITEM), second) {
            (Known::Absent, _) => return "there is none".into(),
            (Known::Expired { .. }, 0) => return "it is gone".into(),
            (Known::Expired { .. }, second) => return format!("it is gone {second} s later"),
            (Known::Open { .. }, _) => return "it is back, or gone for good".into(),
            (Known::Living { .. }, _) => view = client.pass(&view),
        }
    }
    "it lives on".into()
}

fn article(verb: &str) -> &'static str {
    if verb.starts_with('u') { "an" } else { "a" }
}
