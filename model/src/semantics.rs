//! The functions under check, behind one trait, so that the checker can be shown to notice when they are wrong.

use core::fmt;

use crate::container::{ItemId, Refusal, Request, Response, Rules, SettingsDraft, World};
use crate::throughput::{Costs, Metered, Units};

/// What is run. Every method that is not overridden runs the shipped function, and [`Shipped`] overrides none.
///
/// Whoever overrides one plants a fault: the checker must then find it.
pub trait Semantics: fmt::Debug + Send + Sync + 'static {
    /// [`World::new`]
    ///
    /// # Errors
    ///
    /// [`Refusal::BadRequest`] where the draft holds no settings.
    fn open(&self, rules: Rules, now: i64, draft: SettingsDraft) -> Result<World, Refusal> {
        World::new(rules, now, draft)
    }

    /// [`World::step`]
    fn step(&self, world: &World, rules: Rules, request: &Request) -> (World, Response) {
        world.step(rules, request)
    }

    /// [`World::pass`]
    fn pass(&self, world: &World, seconds: u64) -> World {
        world.pass(seconds)
    }

    /// [`World::remove`]
    fn remove(&self, world: &World, id: ItemId) -> Option<World> {
        world.remove(id)
    }

    /// [`World::catch_up`]
    fn catch_up(&self, world: &World) -> World {
        world.catch_up()
    }

    /// [`Metered::step`]
    fn metered_step(
        &self,
        metered: &Metered,
        rules: Rules,
        costs: Costs,
        request: &Request,
    ) -> (Metered, Response, Units) {
        metered.step(rules, costs, request)
    }

    /// [`Metered::end_second`]
    fn end_second(&self, metered: &Metered, costs: Costs, removals: &[ItemId]) -> Option<(Metered, Units)> {
        metered.end_second(costs, removals)
    }
}

/// The model as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shipped;

impl Semantics for Shipped {}
