//! What an item may be, and what it may answer: the relation, asked about a world of one item, whose second 0 is that of its
//! last write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::replay::is_alike;
use cosmos_ttl_harness::request_log::LogTime;
use cosmos_ttl_harness::target::{Etag, Item, Operation, POSSIBLE_TS, Patch, Properties, Status};
use cosmos_ttl_model::choices::{OpenChoice, Path, every};
use cosmos_ttl_model::container::{self as model, Content, Index, ItemId, Settings, World};
use cosmos_ttl_model::rule::{self, Sent, Ttl};

use super::clock::Seconds;
use crate::belief::content_difference;
use crate::reference::status;
use crate::reference::translate::{sent, ttl_change};

/// The only item of its world.
const ITEM: ItemId = ItemId(0);
/// The etag of the item before anything is asked.
const STORED: model::Etag = model::Etag(0);
const OTHER: model::Etag = model::Etag(u32::MAX);

/// The choices that an answer shows.
pub(super) type Made = BTreeMap<OpenChoice, bool>;

/// An item as it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) ttl: Option<Ttl>,
    pub(super) has_wrong_ttl: bool,
    /// The second of its last write.
    pub(super) ts: Seconds,
    /// When that was by the log, as long as no answer has shown its second.
    pub(super) between: Option<(LogTime, LogTime)>,
    /// The etag since then, if an answer showed it.
    pub(super) etag: Option<Etag>,
    /// `None` if they are not known.
    pub(super) properties: Option<Arc<Properties>>,
    /// The line of the log that wrote or showed it.
    pub(super) line: usize,
}

/// Whether the background may have removed an item, at an earlier change of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    No,
    Perhaps,
    /// It was expired for certain, and nobody knows whether it is removed.
    WasExpired,
}

/// A state in which an item may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) item: Option<Stored>,
    pub(super) removal: Removal,
    /// It turned out to be gone, and something of it may still be stored.
    pub(super) is_latched: bool,
    /// The epoch up to which `removal` speaks.
    pub(super) epoch: usize,
    /// The requests on their way, or lost, that have taken effect.
    pub(super) done: Vec<usize>,
}

impl Guess {
    pub(super) fn new(item: Option<Stored>, epoch: usize) -> Self {
        Self { item, removal: Removal::No, is_latched: false, epoch, done: Vec::new() }
    }

    /// States that stand for every other one, as far as the status of an answer tells.
    pub(super) fn any(epoch: usize, now: Seconds) -> Vec<Self> {
        let living = |ttl: Option<Ttl>, has_wrong_ttl| {
            let ts = Seconds { first: now.first.saturating_sub(1 << 52), last: now.last };
            Stored { ttl, has_wrong_ttl, ts, between: None, etag: None, properties: None, line: 0 }
        };
        let items = [
            None,
            Some(living(None, false)),
            Some(living(Some(Ttl::Forever), false)),
            Some(living(None, true)),
        ];
        items.map(|item| Self { is_latched: true, ..Self::new(item, epoch) }).into()
    }

    /// The states of an item that an answer shows.
    pub(super) fn shown(shown: &Item, written: Seconds, epoch: usize, line: usize) -> Vec<Self> {
        let literal = shown.document.ttl();
        let inherits = (None, literal.is_some());
        let readings = match sent(literal) {
            Sent::WholeAsFraction(number) => {
                let whole = rule::read(Sent::Whole(number)).ok().map(|ttl| (ttl, false));
                vec![inherits, (Some(Ttl::Forever), true)].into_iter().chain(whole).collect()
            }
            sent => {
                rule::read(sent).map_or(vec![inherits, (Some(Ttl::Forever), true)], |ttl| vec![(ttl, false)])
            }
        };
        let properties = Some(Arc::new(shown.document.properties.clone()));
        let of = |(ttl, has_wrong_ttl)| {
            let (properties, etag) = (properties.clone(), shown.etag.clone());
            Self::new(
                Some(Stored { ttl, has_wrong_ttl, ts: written, between: None, etag, properties, line }),
                epoch,
            )
        };
        readings.into_iter().map(of).collect()
    }
}

/// What is asked of an item, and what came back.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// More than one in a batch; none where all items are asked for.
    pub(super) operations: Vec<Operation>,
    pub(super) told: Told,
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Told {
    Lost,
    One(Status, Option<Item>),
    Committed(Vec<Status>),
    /// The last operation was refused, and none had an effect.
    Aborted(Status),
    Listed(bool),
}

/// When something is asked: under which settings, and at which second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment<'a> {
    pub(super) settings: &'a Settings,
    pub(super) epoch: usize,
    pub(super) now: Seconds,
    pub(super) between: (LogTime, LogTime),
}

/// A way in which an answer may come about, or what would have come instead.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) after: Guess,
    pub(super) made: Made,
    /// What is expected, and what came in its place; `None` if the answer is possible.
    pub(super) differs: Option<(String, Option<String>)>,
}

/// What is not known of an item that matters to a request.
#[derive(Clone, Copy)]
struct Assumed {
    etag_fits: bool,
    patch_fits: bool,
}

/// Returns every way in which this state may answer.
pub(super) fn ways(guess: &Guess, ask: &Ask, moment: Moment<'_>) -> Vec<Way> {
    let mut all = Vec::new();
    for age_s in ages(guess.item.as_ref(), moment) {
        let world = world(guess.item.as_ref(), *moment.settings, age_s);
        let is_visible = world.items.get(&ITEM).is_some_and(|item| !world.is_expired(item));
        let mut fates = vec![(guess.clone(), None)];
        if guess.removal != Removal::No && is_visible {
            let gone = Guess { item: None, removal: Removal::No, is_latched: true, ..guess.clone() };
            let back = Guess { removal: Removal::No, ..guess.clone() };
            fates = vec![(back, (guess.removal == Removal::WasExpired).then_some(false)), (gone, Some(true))];
        }
        for (from, fate) in fates {
            let world = World {
                items: if from.item.is_some() { world.items.clone() } else { BTreeMap::new() },
                ..world.clone()
            };
            for assumed in assumptions(&from, ask) {
                let tried = every(|path| {
                    let mut world = world.clone();
                    let told = run(&from, ask, assumed, &mut world, path);
                    (world, told)
                });
                for (made, (world, (responses, properties))) in tried {
                    let mut made: Made = made.into_iter().map(|one| (one.choice, one.yes)).collect();
                    made.extend(fate.map(|gone| (OpenChoice::ExpiredIsGone, gone)));
                    // Only a stored, expired item shows it; the model asks wherever none is visible.
                    if from.item.is_none() || is_visible {
                        made.remove(&OpenChoice::ExpiredFailsPrecondition);
                    }
                    all.push(compare(&from, ask, moment, made, (&world, &responses, properties)));
                }
            }
        }
    }
    all
}

/// The ages that matter: the ends of what is possible, and both sides of each deadline between them.
fn ages(item: Option<&Stored>, moment: Moment<'_>) -> BTreeSet<i64> {
    let Some(item) = item else { return [0].into() };
    let least = moment.now.first.saturating_sub(item.ts.last);
    let most = moment.now.last.saturating_sub(item.ts.first);
    let lives = [item.ttl, moment.settings.default_ttl].into_iter().flatten();
    let ends = lives.filter_map(|ttl| if let Ttl::Seconds(seconds) = ttl { Some(seconds) } else { None });
    let near = ends.flat_map(|seconds| [seconds.saturating_sub(1), seconds]);
    near.filter(|age| (least..=most).contains(age)).chain([least, most]).collect()
}

fn world(item: Option<&Stored>, settings: Settings, age_s: i64) -> World {
    let stored = |item: &Stored| model::Item {
        ttl: item.ttl,
        has_wrong_ttl: item.has_wrong_ttl,
        ts: 0,
        etag: STORED,
        content: Content(0),
    };
    let items = item.map(|item| (ITEM, stored(item))).into_iter().collect();
    World { now: age_s, settings, items, next_etag: model::Etag(1), index: Index::Ready }
}

/// Whether an item would be expired at this age.
pub(super) fn is_expired_at(item: &Stored, settings: Settings, age_s: i64) -> bool {
    let world = world(Some(item), settings, age_s);
    world.items.get(&ITEM).is_some_and(|item| world.is_expired(item))
}

fn assumptions(from: &Guess, ask: &Ask) -> Vec<Assumed> {
    let known = from.item.as_ref();
    let both = |unknown: bool| if unknown { &[true, false][..] } else { &[true][..] };
    let hides_etag = known.is_some_and(|item| item.etag.is_none())
        && ask.operations.iter().any(|one| one.etag().is_some());
    let removes = |one: &Operation| matches!(one, Operation::Patch(patch, _) if patch.remove.iter().any(|name| name != "ttl"));
    let hides_content =
        known.is_some_and(|item| item.properties.is_none()) && ask.operations.iter().any(removes);
    let patches = both(hides_content);
    let of = |etag_fits: &bool| {
        patches
            .iter()
            .map(|patch_fits| Assumed { etag_fits: *etag_fits, patch_fits: *patch_fits })
            .collect::<Vec<_>>()
    };
    both(hides_etag).iter().flat_map(of).collect()
}

/// Asks one operation after the other; returns the responses, and the properties of the item then.
fn run(
    from: &Guess,
    ask: &Ask,
    assumed: Assumed,
    world: &mut World,
    choices: &mut Path,
) -> (Vec<model::Response>, Option<Arc<Properties>>) {
    let mut properties = from.item.as_ref().and_then(|item| item.properties.clone());
    if ask.operations.is_empty() {
        return (vec![world.answer(&model::Request::Query, choices)], properties);
    }
    let mut responses = Vec::with_capacity(ask.operations.len());
    for operation in &ask.operations {
        let before = world.items.get(&ITEM).map(|item| item.etag);
        let etag = |etag: &Etag| match (before, from.item.as_ref().and_then(|item| item.etag.as_ref())) {
            (Some(STORED), Some(known)) if known == etag => STORED,
            (Some(STORED), None) if assumed.etag_fits => STORED,
            _ => OTHER,
        };
        let is_visible = world.items.get(&ITEM).is_some_and(|item| !world.is_expired(item));
        let is_forbidden = matches!(operation, Operation::Patch(patch, _) if patch.set.contains_key("_ts")
            || is_visible && removes_absent(patch, properties.as_deref(), assumed.patch_fits));
        let asked = translate(operation, operation.etag().map(etag), is_forbidden);
        responses.push(world.answer(&model::Request::Item(asked), choices));
        if world.items.get(&ITEM).is_some_and(|item| Some(item.etag) != before) {
            properties = written(operation, properties.as_deref());
        }
    }
    (responses, properties)
}

/// Whether a patch takes away what is not there.
fn removes_absent(patch: &Patch, old: Option<&Properties>, fits: bool) -> bool {
    let is_absent = |name: &&String| old.map_or(!fits, |old| !old.contains_key(*name));
    patch.remove.iter().filter(|name| *name != "ttl").any(|name| is_absent(&name))
}

fn translate(operation: &Operation, if_match: Option<model::Etag>, is_forbidden: bool) -> model::Operation {
    use model::Operation as M;
    let draft = |ttl: Option<&Literal>| model::Draft { id: ITEM, ttl: sent(ttl), content: Content(1) };
    match operation {
        Operation::Create(document) => M::Create(draft(document.ttl())),
        Operation::Upsert(document) => M::Upsert(draft(document.ttl())),
        Operation::Replace(document, _) => M::Replace { draft: draft(document.ttl()), if_match },
        Operation::Read(_) => M::Read(ITEM),
        Operation::Delete(..) => M::Delete { id: ITEM, if_match },
        Operation::Patch(patch, _) => {
            let (ttl, content) = (ttl_change(patch), Some(Content(1)));
            M::Patch { id: ITEM, ttl, content, is_forbidden, if_match }
        }
    }
}

/// The properties that a write leaves; `None` if they are not known.
fn written(operation: &Operation, old: Option<&Properties>) -> Option<Arc<Properties>> {
    let mut properties = match operation {
        Operation::Patch(patch, _) => {
            let mut properties = old?.clone();
            properties.extend(patch.set.clone());
            properties.retain(|name, _| !patch.remove.contains(name));
            properties
        }
        operation => operation.properties()?.clone(),
    };
    properties.retain(|name, _| !matches!(name.as_str(), "_ts" | "_etag"));
    Some(Arc::new(properties))
}

/// Compares what the relation answered with what the log says.
fn compare(
    from: &Guess,
    ask: &Ask,
    moment: Moment<'_>,
    mut made: Made,
    (world, responses, properties): (&World, &[model::Response], Option<Arc<Properties>>),
) -> Way {
    let statuses: Vec<Status> = responses.iter().map(status).collect();
    let mut after = Guess { epoch: moment.epoch, ..from.clone() };
    // The clause is about what is answered: also a store that always answers `created` shows that value.
    if let (Told::One(Status::Created, _), Some(yes)) =
        (&ask.told, made.get_mut(&OpenChoice::ExpiredIsReplaced))
    {
        *yes = false;
    }
    let alike = |at: usize, came: Status| {
        let (operation, wanted) = (ask.operations.get(at), statuses.get(at).copied());
        let is_hidden = from.is_latched && came == Status::Ok && wanted == Some(Status::Created);
        let is_upsert = matches!(operation, Some(Operation::Upsert(_)));
        is_upsert && is_hidden || wanted.is_some_and(|wanted| is_alike(operation, wanted, came))
    };
    let wanted = || match (&ask.told, statuses.last()) {
        (Told::Listed(_), _) if matches!(responses, [model::Response::Ids(ids)] if ids.is_empty()) => {
            "not listed".into()
        }
        (Told::Listed(_), _) => "listed".to_owned(),
        (Told::Committed(_), _) => statuses.iter().map(|status| status.word()).collect::<Vec<_>>().join(", "),
        (_, status) => status.map_or_else(String::new, |status| status.word().to_owned()),
    };
    let is_lost_batch = matches!(ask.told, Told::Lost) && ask.operations.len() > 1;
    let all_succeed = statuses.iter().all(|status| status.is_success());
    let is_possible = match &ask.told {
        Told::Lost => true,
        Told::One(came, _) => alike(0, *came),
        Told::Committed(came) => {
            came.len() == statuses.len()
                && (0..came.len()).all(|at| came.get(at).is_some_and(|came| alike(at, *came)))
        }
        Told::Aborted(came) => statuses.last() == Some(came) && !came.is_success(),
        Told::Listed(is_listed) => match responses {
            [model::Response::Ids(ids)] => ids.is_empty() != *is_listed,
            _ => true,
        },
    };
    if !is_possible {
        return Way { after, made, differs: Some((wanted(), None)) };
    }
    if matches!(ask.told, Told::Aborted(_) | Told::Listed(_)) || is_lost_batch && !all_succeed {
        return Way { after, made, differs: None };
    }
    let shown = if let Told::One(_, shown) = &ask.told { shown.as_ref() } else { None };
    let stored = world.items.get(&ITEM);
    let is_written = stored.is_some_and(|item| item.etag != STORED);
    let is_patch = matches!(ask.operations.last(), Some(Operation::Patch(..)));
    if is_written || (stored.is_none() && from.item.is_some()) {
        (after.removal, after.is_latched) = (Removal::No, false);
    }
    let replaced = from.item.as_ref().filter(|_| is_written);
    after.item = match (stored, &from.item) {
        (None, _) => None,
        (Some(_), Some(item)) if !is_written => Some(item.clone()),
        (Some(item), old) => {
            // Whether a patch restarts the count is a `should`: an answer that does not say is taken either way.
            let first = old
                .as_ref()
                .filter(|_| is_patch)
                .map_or(moment.now.first, |old| old.ts.first.min(moment.now.first));
            let ts = Seconds { first, last: moment.now.last };
            let (ttl, has_wrong_ttl) = (item.ttl, item.has_wrong_ttl);
            let between = (!is_patch).then_some(moment.between);
            Some(Stored { ttl, has_wrong_ttl, ts, between, etag: None, properties, line: ask.line })
        }
    };
    let (Some(shown), Some(item)) = (shown, &mut after.item) else {
        return Way { after, made, differs: None };
    };
    let was_expired = replaced.is_some_and(|_| matches!(responses, [model::Response::Created(_)]));
    let differs = difference(ask, item, shown, moment, is_written, replaced.filter(|_| was_expired));
    if differs.is_none() {
        if let Some(ts) = shown.ts {
            (item.ts, item.between) = (Seconds::only(ts), None);
        }
        item.etag = shown.etag.clone().or(item.etag.take());
        item.properties.get_or_insert_with(|| Arc::new(shown.document.properties.clone()));
    }
    Way { after, made, differs: differs.map(|(wanted, came)| (wanted, Some(came))) }
}

/// How the item in an answer differs from what it must be.
fn difference(
    ask: &Ask,
    item: &Stored,
    shown: &Item,
    moment: Moment<'_>,
    is_written: bool,
    expired: Option<&Stored>,
) -> Option<(String, String)> {
    let id = ask.operations.first().map_or("", Operation::id);
    if shown.document.id != id {
        return Some(("the item that was asked for".into(), "another item".into()));
    }
    let content =
        item.properties.as_ref().and_then(|known| content_difference(known, &shown.document.properties));
    if content.is_some() {
        return content;
    }
    let own_ttl = shown.document.ttl().map(Literal::kind);
    if let (None, Some(Ttl::Seconds(seconds)), Some(LiteralKind::Whole(other))) =
        (&item.properties, item.ttl, own_ttl)
        && seconds != other
    {
        return Some((format!("with ttl: {seconds}"), format!("with ttl: {other}")));
    }
    if let Some(ts) = shown.ts {
        let right = if is_written { moment.now } else { item.ts };
        if !POSSIBLE_TS.contains(&ts) {
            return Some(("with a second from 1970 to 9999 as `_ts`".into(), format!("with `_ts` {ts}")));
        }
        if !right.contains(ts) {
            let what = if is_written { "the `_ts` of this second" } else { "the `_ts` of its last write" };
            let when = if right.first == right.last {
                right.first.to_string()
            } else {
                format!("{} to {}", right.first, right.last)
            };
            return Some((format!("with {what}, {when}"), format!("with `_ts` {ts}")));
        }
    }
    let etag = shown.etag.as_ref()?;
    if is_written {
        let is_old = expired.is_some_and(|old| old.etag.as_ref() == Some(etag));
        return is_old.then(|| ("with a new etag".into(), "with the etag of the expired item".into()));
    }
    let is_other = item.etag.as_ref().is_some_and(|known| known != etag);
    is_other.then(|| ("with the etag seen last".into(), "with another etag".into()))
}
