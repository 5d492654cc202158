//! Another target that is asked the same, and the comparison of both answers.
//!
//! Answers are compared as values: seconds count from the first write, etags by the order in which they were seen, JSON
//! as JSON. What only one target would say, such as its own words, is left out.

use super::script::{Call, prepared};
use cosmos_ttl_belief::{Belief, Contradiction};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::target::{Body, Etag, Fault, Opening, Response, Session, Target};

/// The session at the other target.
pub(super) struct Peer<'t> {
    target: &'t dyn Target,
    ignore_open: bool,
    session: Option<Box<dyn Session + 't>>,
    belief: Belief,
    views: [ComparableView; 2],
    /// Both answers to each request, as they are compared.
    pub(super) answers: Vec<[Response; 2]>,
    /// The model allows every answer so far, of both: where they differ, a clause leaves it open.
    pub(super) is_open: bool,
    /// Nothing more can be said of the two.
    pub(super) is_lost: bool,
}

impl<'t> Peer<'t> {
    pub(super) fn new(target: &'t dyn Target, ignore_open: bool) -> Self {
        Self {
            target,
            ignore_open,
            session: None,
            belief: Belief::new(cosmos_ttl_harness::Edition::default()),
            views: [ComparableView::default(), ComparableView::default()],
            answers: Vec::new(),
            is_open: true,
            is_lost: false,
        }
    }

    pub(super) fn open(&mut self, opening: Opening) -> Result<(), Fault> {
        self.belief = Belief::new(opening.edition);
        self.session = Some(catch_panic(|| self.target.open(&opening))?);
        Ok(())
    }

    pub(super) fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.belief.pass(seconds);
        match &mut self.session {
            Some(session) => catch_panic(|| session.pass(seconds)),
            None => Ok(()),
        }
    }

    pub(super) fn close(&mut self) -> Result<(), Fault> {
        self.session.take().map_or(Ok(()), |mut session| catch_panic(|| session.close()))
    }

    /// Whether this target can be asked, too.
    pub(super) fn can_ask(&self, call: &Call) -> bool {
        prepared(&self.belief, call).is_some()
    }

    /// Asks this target in this second, and holds its answer against the other one, which the model allows or not.
    pub(super) fn compare(
        &mut self,
        call: &Call,
        now_s: u64,
        response: &Response,
        is_allowed: bool,
    ) -> Result<Option<Contradiction>, Fault> {
        let (Some(session), Some(request)) = (&mut self.session, prepared(&self.belief, call)) else {
            return Ok(None);
        };
        let own = catch_panic(|| session.send(&request))?;
        self.is_open &= self.belief.observe(&request, &own).is_ok() && is_allowed;
        let [one, other] = &mut self.views;
        let (one, other) = (one.view(response.clone(), now_s), other.view(own, now_s));
        let counts = !(self.ignore_open && self.is_open);
        let differs = counts && !is_same(&one, &other);
        let words = differs
            .then(|| Contradiction { expected: describe::response(&other), got: describe::response(&one) });
        // Where both are wrong alike, later answers follow from what nobody knows.
        self.is_lost |= self.belief.is_crowded() || (self.ignore_open && !self.is_open);
        self.answers.push([one, other]);
        Ok(words)
    }
}

/// What makes the answers of one target comparable with those of another.
#[derive(Clone, Debug, Default)]
struct ComparableView {
    /// What the target's clock showed when the session began.
    origin: Option<i64>,
    etags: Vec<Etag>,
}

impl ComparableView {
    fn view(&mut self, mut response: Response, now_s: u64) -> Response {
        response.detail = None;
        match &mut response.body {
            Body::Ids(ids) => ids.sort(),
            Body::Item(item) => {
                if self.origin.is_none() {
                    self.origin = item.ts.and_then(|ts| ts.checked_sub_unsigned(now_s));
                }
                item.ts = item.ts.map(|ts| ts.saturating_sub(self.origin.unwrap_or(0)));
                item.etag = item.etag.take().map(|etag| format!("etag {}", self.number(etag)));
            }
            Body::Nothing | Body::Count(_) | Body::Committed(_) | Body::Aborted { .. } => {}
        }
        response
    }

    fn number(&mut self, etag: Etag) -> usize {
        let known = self.etags.iter().position(|known| *known == etag);
        1 + known.unwrap_or_else(|| {
            self.etags.push(etag);
            self.etags.len() - 1
        })
    }
}

fn is_same(one: &Response, other: &Response) -> bool {
    let (Body::Item(a), Body::Item(b)) = (&one.body, &other.body) else { return one == other };
    let (mine, others) = (&a.document.properties, &b.document.properties);
    let same_properties = mine.len() == others.len()
        && mine.iter().all(|(name, value)| others.get(name).is_some_and(|other| value.same_value(other)));
    (one.status, &a.document.id, a.ts, &a.etag) == (other.status, &b.document.id, b.ts, &b.etag)
        && same_properties
}
