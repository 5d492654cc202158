//! A container's settings over time: which may have been in force when a request was dealt with.

use cosmos_ttl_harness::request_log::{LogTime, LoggedExchange};
use cosmos_ttl_harness::target::{Indexing, Request, Status};
use cosmos_ttl_model::choices::{MadeChoice, every};
use cosmos_ttl_model::container::{self as model, Settings, SettingsDraft, World};
use cosmos_ttl_model::rule::{MAX_S, Sent, Ttl};

use super::guess::Made;
use super::{Effect, Span, effect};
use crate::reference::{settings, status};

/// More settings at once are not told apart.
const MOST_AT_ONCE: usize = 8;
/// After more changes at once, or lost ones, nothing is known of the settings any more.
const MOST_RUNNING: usize = 64;

/// Settings from one change to the next.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    /// The change.
    pub(super) span: Span,
    pub(super) from: LogTime,
    pub(super) until: LogTime,
    /// Any of these may be in force.
    pub(super) settings: Vec<Settings>,
    /// Whether the log says so.
    pub(super) is_known: bool,
}

/// The settings of a container, in the order of the changes.
#[derive(Debug)]
pub(super) struct Timeline {
    pub(super) epochs: Vec<Epoch>,
    /// Settings whose change was lost: it may take effect at any later time.
    late: Vec<Settings>,
    /// The changes that the last one overlaps.
    running: Vec<usize>,
    /// There were too many of them.
    is_crowded: bool,
}

/// Stands for every setting: each item that any setting hides or shows is hidden or shown by one of these.
fn any_settings() -> Vec<Settings> {
    let all = [None, Some(Ttl::Forever), Some(Ttl::Seconds(1)), Some(Ttl::Seconds(MAX_S))];
    all.map(|default_ttl| Settings { default_ttl, indexing: model::Indexing::Consistent }).into()
}

impl Timeline {
    /// Begins with the settings that the user states, or with unknown ones.
    pub(super) fn new(stated: Option<Settings>) -> Self {
        let (from, until) = (LogTime { us: i64::MIN }, LogTime { us: i64::MIN });
        let is_known = stated.is_some();
        let settings = stated.map_or_else(any_settings, |stated| vec![stated]);
        let span = Span { begin: 0, end: 0 };
        Self {
            epochs: vec![Epoch { span, from, until, settings, is_known }],
            late: Vec::new(),
            running: Vec::new(),
            is_crowded: false,
        }
    }

    /// Adds what may have changed the settings to anything.
    pub(super) fn smudge(&mut self, span: Span, from: LogTime, until: LogTime) {
        self.push(Epoch { span, from, until, settings: any_settings(), is_known: false });
    }

    /// Adds a request that sends settings, and its answer.
    pub(super) fn add(&mut self, one: &LoggedExchange, span: Span) {
        let Some(last) = self.epochs.last() else { return };
        let is_lost = match effect(one) {
            Effect::Answered(answer) if answer.status.is_success() => false,
            Effect::Lost => true,
            Effect::Answered(_) | Effect::Nothing => return,
        };
        let set = configured(&one.request).into_iter().filter_map(|way| way.settings);
        let mut all: Vec<Settings> = set.collect();
        let mut is_known = !all.is_empty();
        if is_lost {
            self.late.extend(all.iter().copied());
            self.late.sort_unstable();
            self.late.dedup();
            self.late.truncate(MOST_AT_ONCE + 1);
            all.extend(last.settings.iter().copied());
            is_known = last.is_known;
        }
        // Of two changes that overlap, either may be the last.
        self.running
            .retain(|number| self.epochs.get(*number).is_some_and(|epoch| epoch.span.end > span.begin));
        for epoch in self.running.iter().filter_map(|number| self.epochs.get(*number)) {
            is_known &= epoch.is_known;
            all.extend(epoch.settings.iter().copied());
        }
        all.extend(self.late.iter().copied());
        all.sort_unstable();
        all.dedup();
        if all.len() > MOST_AT_ONCE || !is_known {
            (all, is_known) = (any_settings(), false);
        }
        let (from, until) = (one.sent, one.received.filter(|_| !is_lost).unwrap_or(LogTime { us: i64::MAX }));
        self.push(Epoch { span, from, until, settings: all, is_known });
    }

    fn push(&mut self, mut epoch: Epoch) {
        // The epoch of the first that is too many is the last one.
        if self.is_crowded {
            return;
        }
        if self.running.len() < MOST_RUNNING {
            self.running.push(self.epochs.len());
        } else {
            self.is_crowded = true;
            (epoch.settings, epoch.is_known) = (any_settings(), false);
        }
        self.epochs.push(epoch);
    }

    /// The first and the last epoch in which something may have been dealt with.
    pub(super) fn between(&self, span: Span) -> (usize, usize) {
        let begun = self.epochs.partition_point(|epoch| epoch.span.begin < span.end).saturating_sub(1);
        let all = self.epochs.get(..=begun).unwrap_or_default();
        let over = all.iter().rposition(|epoch| epoch.span.end <= span.begin).unwrap_or(0);
        (over, begun)
    }

    pub(super) fn of(&self, epochs: (usize, usize)) -> &[Epoch] {
        self.epochs.get(epochs.0..=epochs.1).unwrap_or_default()
    }
}

/// What may come of a request that sends settings.
pub(super) struct SettingsWay {
    pub(super) status: Status,
    /// After a success.
    pub(super) settings: Option<Settings>,
    pub(super) made: Made,
}

/// Returns everything that may come of a request that sends settings.
pub(super) fn configured(request: &Request) -> Vec<SettingsWay> {
    let Some(container) = request.container() else { return Vec::new() };
    let draft = settings(container);
    let creates = matches!(request, Request::CreateContainer(_));
    let off = SettingsDraft { default_ttl: Sent::Absent, indexing: model::Indexing::Consistent };
    let tried = every(|path| {
        if creates {
            return match World::new(0, draft, path) {
                Ok(world) => (Status::Created, Some(world.settings)),
                Err(refusal) => (status(&model::Response::Refused(refusal)), None),
            };
        }
        let Ok(mut world) = World::new(0, off, path) else { return (Status::BadRequest, None) };
        let status = status(&world.answer(&model::Request::Configure(draft), path));
        (status, status.is_success().then_some(world.settings))
    });
    let way = |(made, (status, settings)): (Vec<MadeChoice>, _)| {
        let made = made.into_iter().map(|one| (one.choice, one.yes)).collect();
        SettingsWay { status, settings, made }
    };
    let mut all: Vec<_> = tried.into_iter().map(way).collect();
    if container.indexing == Indexing::Lazy {
        // Only some accounts offer one.
        all.push(SettingsWay { status: Status::BadRequest, settings: None, made: Made::new() });
    }
    all
}
