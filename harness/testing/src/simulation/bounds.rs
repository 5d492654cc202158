//! What a run on a real clock meets: classes of adversity within the bounds that `harness/TRUST.md` states, and outside them.

use crate::simulation::Rng;

use crate::simulation::network::{CALM, Delay, Network, ServerClocks};

/// One kind of adversity.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name in the table and on the command line.
    pub name: &'static str,
    /// The adversity, as a sentence.
    pub says: &'static str,
    /// Whether the bounds cover it.
    pub within_bounds: bool,
    /// Draws the network and the clocks of one run.
    pub(crate) make: fn(&mut Rng, &mut ServerClocks) -> Network,
}

impl Class {
    /// Returns whether its networks lose responses after a request took effect.
    pub fn loses_responses(&self) -> bool {
        let mut rng = Rng::new(0);
        let mut clocks = ServerClocks::even(&mut rng);
        let network = (self.make)(&mut rng, &mut clocks);
        0 < network.lost_after || 0 < network.broken_after
    }
}

/// Returns every class.
pub fn classes() -> impl Iterator<Item = &'static Class> + Clone {
    CLASSES.iter()
}

const fn within(
    name: &'static str,
    says: &'static str,
    make: fn(&mut Rng, &mut ServerClocks) -> Network,
) -> Class {
    Class { name, says, within_bounds: true, make }
}

const fn outside(
    name: &'static str,
    says: &'static str,
    make: fn(&mut Rng, &mut ServerClocks) -> Network,
) -> Class {
    Class { within_bounds: false, ..within(name, says, make) }
}

fn between(rng: &mut Rng, from: i64, to: i64) -> i64 {
    from.saturating_add(
        rng.below(u32::try_from(to.saturating_sub(from)).unwrap_or(0).saturating_add(1)).into(),
    )
}

/// Returns the number or its opposite.
fn signed(rng: &mut Rng, number: i64) -> i64 {
    if rng.percent(50) { number } else { -number }
}

/// Returns a network with round trips of up to 100 ms.
fn to_100_ms(rng: &mut Rng) -> Network {
    Network::uniform(between(rng, 1, 50_000))
}

fn fast() -> Network {
    Network::uniform(10_000)
}

/// Sets the clock once in the first ten seconds, and returns a network with round trips of up to 100 ms.
fn step(rng: &mut Rng, clocks: &mut ServerClocks, by_us: i64) -> Network {
    clocks.steps.push((between(rng, 0, 10_000_000), by_us));
    to_100_ms(rng)
}

/// Adds two servers whose clocks are this far from the first's.
fn apart(rng: &mut Rng, clocks: &mut ServerClocks, from_us: i64, to_us: i64) -> Network {
    clocks.servers_us = vec![0, between(rng, from_us, to_us), between(rng, from_us, to_us)];
    fast()
}

/// A local network: a fault that a run misses is held against it.
pub(crate) const CALM_CLASS: Class = within("calm", "round trips of 1 ms", |_, _| CALM);

/// Every class of adversity.
pub const CLASSES: &[Class] = &[
    // Nothing.
    CALM_CLASS,
    within("phase", "the target's second begins within 2 ms of the harness's", |rng, clocks| {
        clocks.ahead_us = clocks.ahead_us - clocks.ahead_us % 1_000_000 + between(rng, -2_000, 2_000);
        CALM
    }),
    // Latency.
    within("latency-uniform", "round trips of up to 200 ms", |_, _| Network::uniform(100_000)),
    within("latency-exponential", "round trips of 100 ms on average, a few many times as long", |_, _| {
        Network::exponential(100_000)
    }),
    within("latency-asymmetric", "one way takes 5 ms, the other 95 ms", |rng, _| {
        let (short, long) = (Delay::UniformUs(4_000, 6_000), Delay::UniformUs(90_000, 100_000));
        if rng.percent(50) {
            Network { to: short, back: long, ..CALM }
        } else {
            Network { to: long, back: short, ..CALM }
        }
    }),
    outside("latency-seconds", "round trips of 1 to 3 s", |_, _| Network {
        to: Delay::UniformUs(500_000, 1_500_000),
        back: Delay::UniformUs(500_000, 1_500_000),
        ..CALM
    }),
    // Stalls.
    within("stalls-before", "2 % of the requests stall for up to 1.5 s before they take effect", |_, _| {
        Network { stalls_before: 20, stall_us: 1_500_000, ..fast() }
    }),
    within("stalls-after", "2 % of the requests stall for up to 1.5 s after they took effect", |_, _| {
        Network { stalls_after: 20, stall_us: 1_500_000, ..fast() }
    }),
    // A clock that runs apart.
    within("offset", "the clock is up to 5 s ahead or behind", |rng, clocks| {
        clocks.ahead_us += between(rng, -5_000_000, 5_000_000);
        Network::uniform(20_000)
    }),
    within("drift", "the clock is up to 1 % too fast or too slow", |rng, clocks| {
        clocks.drift_ppm = between(rng, -10_000, 10_000);
        Network::uniform(20_000)
    }),
    outside("drift-fast", "the clock is 3 to 8 % too fast or too slow", |rng, clocks| {
        let ppm = between(rng, 30_000, 80_000);
        clocks.drift_ppm = signed(rng, ppm);
        Network::uniform(20_000)
    }),
    // A clock that is set.
    within("steps-back", "the clock is set back by 20 ms to 1 s", |rng, clocks| {
        let by_us = between(rng, -1_000_000, -20_000);
        step(rng, clocks, by_us)
    }),
    within(
        "steps-back-little",
        "the clock is set back by 0.1 to 0.35 s, at round trips of 50 to 200 ms",
        |rng, clocks| {
            let by_us = between(rng, -350_000, -100_000);
            clocks.steps.push((between(rng, 1_500_000, 6_000_000), by_us));
            Network { to: Delay::UniformUs(25_000, 100_000), back: Delay::UniformUs(25_000, 100_000), ..CALM }
        },
    ),
    within("steps-early", "the clock is set by 0.1 to 2 s in the first 1.5 s", |rng, clocks| {
        let by_us = between(rng, 100_000, 2_000_000);
        clocks.steps.push((between(rng, 0, 1_500_000), signed(rng, by_us)));
        to_100_ms(rng)
    }),
    within("steps-forward", "the clock is set forward by 20 ms to 1 s", |rng, clocks| {
        let by_us = between(rng, 20_000, 1_000_000);
        step(rng, clocks, by_us)
    }),
    within("steps-far", "the clock is set by 1 to 30 s, back or forward", |rng, clocks| {
        let by_us = between(rng, 1_000_000, 30_000_000);
        let by_us = signed(rng, by_us);
        step(rng, clocks, by_us)
    }),
    within(
        "steps-and-returns",
        "the clock is set by 20 ms to 3 s, and back after 0.1 to 5 s",
        |rng, clocks| {
            let by_us = between(rng, 20_000, 3_000_000);
            let by_us = signed(rng, by_us);
            let at_us = between(rng, 0, 8_000_000);
            let after_us = between(rng, 100_000, 5_000_000);
            clocks.steps.extend([(at_us, by_us), (at_us + after_us, -by_us)]);
            to_100_ms(rng)
        },
    ),
    outside("steps-again-and-again", "the clock is set by 0.1 to 2 s every 0.5 to 3 s", |rng, clocks| {
        let mut at_us = 0;
        while at_us < 300_000_000 {
            at_us += between(rng, 500_000, 3_000_000);
            let by_us = between(rng, 100_000, 2_000_000);
            clocks.steps.push((at_us, signed(rng, by_us)));
        }
        fast()
    }),
    // Servers behind one endpoint, each with a clock of its own.
    within("servers", "three servers, 10 to 50 ms apart; each request meets one of them", |rng, clocks| {
        apart(rng, clocks, 10_000, 50_000)
    }),
    within(
        "servers-sticky",
        "three servers, 10 to 50 ms apart; each session keeps to one of them",
        |rng, clocks| {
            clocks.sticky = true;
            apart(rng, clocks, 10_000, 50_000)
        },
    ),
    outside(
        "servers-apart",
        "three servers, 100 to 300 ms apart; each request meets one of them",
        |rng, clocks| apart(rng, clocks, 100_000, 300_000),
    ),
    outside(
        "servers-apart-sticky",
        "three servers, 100 to 300 ms apart; each session keeps to one",
        |rng, clocks| {
            clocks.sticky = true;
            apart(rng, clocks, 100_000, 300_000)
        },
    ),
    // Replies that are lost.
    within("lost-before", "2 % of the requests are lost before they take effect", |_, _| Network {
        lost_before: 20,
        ..fast()
    }),
    within("lost-after", "2 % of the replies are lost after the request took effect", |_, _| Network {
        lost_after: 20,
        ..fast()
    }),
    // Connections that are reset.
    within("broken-before", "1 % of the requests break their session before they take effect", |_, _| {
        Network { broken_before: 10, ..fast() }
    }),
    within("broken-after", "1 % of the requests break their session after they took effect", |_, _| {
        Network { broken_after: 10, ..fast() }
    }),
    // Errors of the server.
    within("busy", "20 % of the requests are answered 429, some again and again", |_, _| Network {
        busy: 200,
        ..fast()
    }),
    within("errors", "1 % of the requests are answered 500, half of them after they took effect", |_, _| {
        Network { errors: 10, ..fast() }
    }),
    // A server that starts slowly.
    within("containers", "it takes 2 to 3 s to make a container", |rng, _| Network {
        container_us: between(rng, 2_000_000, 3_000_000),
        ..fast()
    }),
    within("cold", "the server answers nothing in the first 1 to 4 s", |rng, _| Network {
        cold_us: between(rng, 1_000_000, 4_000_000),
        ..fast()
    }),
    // All of this at once.
    within(
        "mix",
        "latency, stalls, drift, a step, two servers, lost replies, 429 and 5xx, all mild",
        |rng, clocks| {
            clocks.drift_ppm = between(rng, -2_000, 2_000);
            clocks.servers_us = vec![0, between(rng, 0, 20_000)];
            if rng.percent(30) {
                let by_us = between(rng, -1_000_000, 1_000_000);
                let _ = step(rng, clocks, by_us);
            }
            Network {
                stalls_before: 2,
                stalls_after: 2,
                stall_us: 1_000_000,
                lost_before: 2,
                lost_after: 2,
                broken_before: 1,
                broken_after: 1,
                busy: 10,
                errors: 2,
                ..Network::exponential(30_000)
            }
        },
    ),
];
