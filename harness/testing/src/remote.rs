//! A target in this process whose clock runs by itself, with a way to it that takes time and may lose things.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cosmos_ttl_harness::target::{
    About, Body, Clock, Fault, Request, RequestOptions, Response, Session, Target,
};

use crate::store::{StoreFlaw, TimedStore};

/// How time passes for the target.
pub trait TargetClock: Send + Sync {
    fn now_us(&self) -> i64;
    fn sleep_us(&self, us: i64);
}

/// Trouble on the network, each with a chance in a thousand.
#[derive(Clone, Copy, Debug)]
pub struct NetworkTrouble {
    /// A way to the target or back takes from this to twice this.
    pub latency_us: i64,
    /// A way that takes up to so long, now and then.
    pub spike_us: i64,
    pub spikes: u64,
    /// The reply is lost, after the request had its effect.
    pub lost: u64,
    pub breaks: u64,
    pub panics: u64,
    pub hangs: u64,
    pub open_breaks: u64,
    pub close_breaks: u64,
}

pub const CALM: NetworkTrouble = NetworkTrouble {
    latency_us: 300,
    spike_us: 0,
    spikes: 0,
    lost: 0,
    breaks: 0,
    panics: 0,
    hangs: 0,
    open_breaks: 0,
    close_breaks: 0,
};

/// The target.
pub struct Remote {
    pub time: Arc<dyn TargetClock>,
    /// How far its clock is ahead.
    pub ahead_us: i64,
    /// When the clock jumps, and how far.
    pub jump_us: Option<(i64, i64)>,
    pub trouble: NetworkTrouble,
    /// `None` is the right store.
    pub flaw: Option<StoreFlaw>,
    pub seed: u64,
    /// Whether the answer to a request does not show when its item was written.
    pub hides_ts: fn(&Request) -> bool,
    /// No session is opened after this number of sessions.
    pub opens: usize,
    pub asked: AtomicUsize,
    pub opened: AtomicUsize,
    pub closed: AtomicUsize,
}

impl Remote {
    pub fn new(time: Arc<dyn TargetClock>, seed: u64) -> Self {
        Self {
            time,
            ahead_us: 1_760_000_000_000_000 + i64::try_from(seed % 1000).unwrap() * 137_171,
            jump_us: None,
            trouble: CALM,
            flaw: None,
            seed,
            hides_ts: |_| false,
            opens: usize::MAX,
            asked: AtomicUsize::new(0),
            opened: AtomicUsize::new(0),
            closed: AtomicUsize::new(0),
        }
    }

    fn clock_us(&self) -> i64 {
        let now_us = self.time.now_us();
        let jump_us = self.jump_us.filter(|(at_us, _)| *at_us <= now_us).map_or(0, |(_, by_us)| by_us);
        now_us + self.ahead_us + jump_us
    }
}

impl Target for Remote {
    fn about(&self) -> About {
        About { name: "remote".into(), version: "0".into(), clock: Clock::Real, purges: false }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let number = u64::try_from(self.asked.fetch_add(1, Ordering::Relaxed)).unwrap();
        let chance =
            Dice(Mutex::new(self.seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (number << 20)));
        self.time.sleep_us(self.trouble.latency_us);
        let full = self.opens <= self.opened.load(Ordering::Relaxed);
        if full || chance.strikes(self.trouble.open_breaks) {
            return Err(Fault::Broken("connection refused".into()));
        }
        let store = TimedStore::new(self.flaw.unwrap_or(StoreFlaw::None));
        self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(RemoteSession { remote: self, store, chance }))
    }
}

/// A session.
struct RemoteSession<'a> {
    remote: &'a Remote,
    store: TimedStore,
    chance: Dice,
}

impl RemoteSession<'_> {
    fn travel(&self) {
        let NetworkTrouble { latency_us, spike_us, spikes, .. } = self.remote.trouble;
        let mut us = latency_us + self.chance.below(latency_us);
        if self.chance.strikes(spikes) {
            us += self.chance.below(spike_us);
        }
        self.remote.time.sleep_us(us);
    }
}

impl Session for RemoteSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let trouble = self.remote.trouble;
        self.travel();
        if self.chance.strikes(trouble.breaks) {
            return Err(Fault::Broken("connection reset".into()));
        }
        if self.chance.strikes(trouble.hangs) {
            self.remote.time.sleep_us(1_500_000);
            return Err(Fault::Broken("no answer".into()));
        }
        assert!(!self.chance.strikes(trouble.panics), "a bug in the adapter");
        let mut response = self.store.ask(request, options, self.remote.clock_us())?;
        if let (Body::Item(item), true) = (&mut response.body, (self.remote.hides_ts)(request)) {
            item.ts = None;
        }
        self.travel();
        if self.chance.strikes(trouble.lost) {
            return Err(Fault::Unknown("the reply was lost".into()));
        }
        Ok(response)
    }

    fn pass(&mut self, _seconds: u64) -> Result<(), Fault> {
        Err(Fault::Misuse("this clock runs by itself".into()))
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.remote.closed.fetch_add(1, Ordering::Relaxed);
        if self.chance.strikes(self.remote.trouble.close_breaks) {
            return Err(Fault::Broken("the container is still there".into()));
        }
        Ok(())
    }
}

/// Dice.
struct Dice(Mutex<u64>);

impl Dice {
    fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn strikes(&self, thousandths: u64) -> bool {
        self.next() % 1000 < thousandths
    }

    fn below(&self, us: i64) -> i64 {
        if us == 0 { 0 } else { i64::try_from(self.next() % u64::try_from(us).unwrap()).unwrap() }
    }
}
