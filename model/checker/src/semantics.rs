//! The moves of a container that are checked: those of the model, or others in their place.

use cosmos_ttl_model::choices::{Choose, every};
use cosmos_ttl_model::container::{Index, ItemId, Refusal, Request, Response, SettingsDraft, World};
use cosmos_ttl_model::throughput::{Costs, Metered, Units};

use crate::system::{ModelAction, Outcome};

/// The moves under check. A broken model has others in some places: `Semantics { wait: |_| {}, ..Semantics::SHIPPED }`.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "each is called as the function of the model")]
pub struct Semantics {
    pub open: fn(SettingsDraft, &mut dyn Choose) -> Result<World, Refusal>,
    pub answer: fn(&mut World, &Request, &mut dyn Choose) -> Response,
    pub wait: fn(&mut World),
    pub remove: fn(&mut World, ItemId) -> bool,
    pub catch_up: fn(&mut World),
    pub answer_metered: fn(&mut Metered, Costs, &Request, &mut dyn Choose) -> (Response, Units),
    pub end_second: fn(&mut Metered, Costs, &[ItemId]) -> Option<Units>,
}

impl Semantics {
    /// The moves of the model, one second at a time, in a container that is made in second 0.
    pub const SHIPPED: Self = Self {
        open: |draft, choose| World::new(0, draft, choose),
        answer: World::answer,
        wait: |world| world.wait(1),
        remove: World::remove,
        catch_up: World::catch_up,
        answer_metered: Metered::answer,
        end_second: Metered::end_second,
    };

    /// Returns what comes of a move in every way of choosing; a move of the environment leaves nothing to choose.
    pub(crate) fn outcomes(&self, before: &World, action: &ModelAction) -> Vec<Outcome<()>> {
        let mut after = before.clone();
        match action {
            ModelAction::Ask(request) => {
                let ways = every(|path| {
                    let mut after = before.clone();
                    let answer = (self.answer)(&mut after, request, path);
                    (after, answer)
                });
                let outcome =
                    |(made, (after, answer))| Outcome { made, answer: Some(answer), after, seen: () };
                return ways.into_iter().map(outcome).collect();
            }
            ModelAction::Pass => (self.wait)(&mut after),
            ModelAction::Remove(id) if (self.remove)(&mut after, *id) => {}
            ModelAction::CatchUp if before.index == Index::Rebuilding => (self.catch_up)(&mut after),
            _ => return Vec::new(),
        }
        vec![Outcome::unasked(after)]
    }
}
