//! The way to a server and its clocks: what a run in the field meets, with a chance in a thousand for each mishap.

use crate::simulation::Rng;

/// How long one way takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// From the first to the second, each as likely.
    UniformUs(i64, i64),
    /// Most ways take less than this mean, and a few take many times as long.
    ExponentialUs(i64),
}

impl Delay {
    fn draw_us(self, rng: &mut Rng) -> i64 {
        match self {
            Self::UniformUs(from_us, to_us) => {
                let range_us = u32::try_from(to_us.saturating_sub(from_us)).unwrap_or(0);
                from_us.saturating_add(i64::from(rng.below(range_us.saturating_add(1))))
            }
            Self::ExponentialUs(mean_us) => {
                // The number of halvings until a coin falls the other way, with a fraction: integers repeat everywhere.
                let mut us = 0_i64;
                let half_life_us = mean_us.saturating_mul(693) / 1000;
                while rng.percent(50) && us < half_life_us.saturating_mul(12) {
                    us = us.saturating_add(half_life_us);
                }
                us.saturating_add(i64::from(rng.below(u32::try_from(half_life_us).unwrap_or(1))))
            }
        }
    }
}

/// The way to a server and back. Chances are in a thousand requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// How long the way to the server takes.
    pub to: Delay,
    /// How long the way back takes.
    pub back: Delay,
    /// How many ways to the server stall, so that the request takes effect late.
    pub stalls_before: u32,
    /// How many ways back stall, so that the response is late.
    pub stalls_after: u32,
    /// How long a stall lasts at most.
    pub stall_us: i64,
    /// How many requests are lost before they take effect. Reads are sent a second time.
    pub lost_before: u32,
    /// How many responses are lost after the request took effect. Reads are sent a second time.
    pub lost_after: u32,
    /// How many requests break their session before they take effect.
    pub broken_before: u32,
    /// How many requests break their session after they took effect.
    pub broken_after: u32,
    /// How many requests are answered 429, after which the client tries again.
    pub busy: u32,
    /// How many requests are answered 500, half of them after they took effect.
    pub errors: u32,
    /// How long it takes to make a container, apart from the way.
    pub container_us: i64,
    /// Until this moment the server takes requests and deals with none.
    pub cold_us: i64,
}

/// A local network.
pub const CALM: Network = Network {
    to: Delay::UniformUs(300, 600),
    back: Delay::UniformUs(300, 600),
    stalls_before: 0,
    stalls_after: 0,
    stall_us: 0,
    lost_before: 0,
    lost_after: 0,
    broken_before: 0,
    broken_after: 0,
    busy: 0,
    errors: 0,
    container_us: 0,
    cold_us: 0,
};

impl Network {
    /// Returns a network whose ways take up to this long, each duration as likely.
    pub fn uniform(most_us: i64) -> Self {
        Self { to: Delay::UniformUs(0, most_us), back: Delay::UniformUs(0, most_us), ..CALM }
    }

    /// Returns a network whose round trip takes this long on average, and now and then many times as long.
    pub fn exponential(round_trip_us: i64) -> Self {
        let way = Delay::ExponentialUs(round_trip_us / 2);
        Self { to: way, back: way, ..CALM }
    }

    pub(crate) fn way_to_us(&self, rng: &mut Rng) -> i64 {
        self.to.draw_us(rng).saturating_add(self.stall_us(self.stalls_before, rng))
    }

    pub(crate) fn way_back_us(&self, rng: &mut Rng) -> i64 {
        self.back.draw_us(rng).saturating_add(self.stall_us(self.stalls_after, rng))
    }

    fn stall_us(&self, stalls: u32, rng: &mut Rng) -> i64 {
        if rng.below(1000) < stalls {
            rng.below(u32::try_from(self.stall_us).unwrap_or(u32::MAX)).into()
        } else {
            0
        }
    }
}

/// The clocks of the servers behind one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerClocks {
    /// How far the first server's clock is ahead of the harness's.
    pub ahead_us: i64,
    /// How much faster the clocks run, in millionths.
    pub drift_ppm: i64,
    /// At which moments all clocks are set, and by how much.
    pub steps: Vec<(i64, i64)>,
    /// How far the clock of each server is ahead of the first's.
    pub servers_us: Vec<i64>,
    /// Whether a session keeps to one server; otherwise every request meets any of them.
    pub sticky: bool,
}

/// A second of the year 2025.
const NOON_US: i64 = 1_760_000_000_000_000;

impl ServerClocks {
    /// Returns one clock with a random phase, which runs as the harness's does.
    pub fn even(rng: &mut Rng) -> Self {
        Self {
            ahead_us: NOON_US.saturating_add(rng.below(1_000_000).into()),
            drift_ppm: 0,
            steps: Vec::new(),
            servers_us: vec![0],
            sticky: false,
        }
    }

    /// Returns the number of a server.
    pub(crate) fn draw_server(&self, rng: &mut Rng) -> usize {
        rng.index(self.servers_us.len().max(1))
    }

    /// Returns what the clock of the server with this number shows.
    pub(crate) fn show_us(&self, server: usize, now_us: i64) -> i64 {
        let stepped_us: i64 =
            self.steps.iter().filter(|(at_us, _)| *at_us <= now_us).map(|(_, by_us)| by_us).sum();
        let drifted_us = now_us.saturating_mul(self.drift_ppm) / 1_000_000;
        let server_us = self.servers_us.get(server).copied().unwrap_or(0);
        [self.ahead_us, drifted_us, stepped_us, server_us].into_iter().fold(now_us, i64::saturating_add)
    }
}
