//! The functions under check, behind one trait, so that the checker can be shown to notice when they are wrong.

use core::fmt;

use crate::container::{ItemId, Refusal, Request, Response, Rules, SettingsDraft, World};
use crate::throughput::{Costs, Metered, Units};

/// The functions under check. Every method that is not overridden runs the shipped function.
///
/// An override plants a fault, which the checker must find. Only [`Shipped`] overrides the methods that change
/// a world in place, by functions of which the pure ones are made; for all others they follow the pure ones.
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

    /// [`World::take`]
    fn take(&self, world: &mut World, rules: Rules, request: &Request) -> Response {
        let (next, response) = self.step(world, rules, request);
        *world = next;
        response
    }

    /// [`World::pass`]
    fn pass(&self, world: &World, seconds: u64) -> World {
        world.pass(seconds)
    }

    /// [`World::wait`]
    fn wait(&self, world: &mut World, seconds: u64) {
        *world = self.pass(world, seconds);
    }

    /// [`World::remove`]
    fn remove(&self, world: &World, id: ItemId) -> Option<World> {
        world.remove(id)
    }

    /// [`World::sweep`]
    fn sweep(&self, world: &mut World, id: ItemId) {
        if let Some(next) = self.remove(world, id) {
            *world = next;
        }
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

impl Semantics for Shipped {
    fn take(&self, world: &mut World, rules: Rules, request: &Request) -> Response {
        world.take(rules, request)
    }

    fn wait(&self, world: &mut World, seconds: u64) {
        world.wait(seconds);
    }

    fn sweep(&self, world: &mut World, id: ItemId) {
        world.sweep(id);
    }
}
