//! Making the container, and changing its settings.

use cosmos_ttl_model::container::{self as model, Rules, World};
use cosmos_ttl_model::interpretation::{ContainerNull, Interpretation};
use cosmos_ttl_model::rule::{Edition, Wire};

use super::hypothesis::Hypothesis;
use super::observations::Observations;
use cosmos_ttl_harness::target::{Container, Indexing, Response, Status};
use cosmos_ttl_reference::{settings, translate::refused};

/// A world after settings were sent, and the status of the answer.
pub(super) type Changed = (Hypothesis, Status);

/// Everything that may come of making a container; the clock stands as in `from`, which holds nothing.
pub(super) fn created(edition: Edition, from: &Hypothesis, container: &Container) -> Vec<Changed> {
    let draft = settings(container);
    let of = |null: ContainerNull| match World::new(rules(edition, null), from.world.now, draft) {
        Ok(world) => (Hypothesis { world, ..*from }, Status::Created),
        Err(refusal) => (from.clone(), refused(refusal)),
    };
    chosen(from, container, of)
}

/// Everything that may come of replacing its settings.
pub(super) fn replaced(edition: Edition, from: &Hypothesis, container: &Container) -> Vec<Changed> {
    let request = model::Request::Configure(settings(container));
    let of = |null: ContainerNull| {
        let (world, response) = from.world.step(rules(edition, null), &request);
        if response != model::Response::Configured {
            return (from.clone(), Status::BadRequest);
        }
        let mut next = Hypothesis { world, ..*from };
        for id in from.world.expired_ids() {
            next.unsure = next.unsure.with(id);
        }
        (next, Status::Ok)
    };
    chosen(from, container, of)
}

fn rules(edition: Edition, container_null: ContainerNull) -> Rules {
    Rules { edition, interpretation: Interpretation { container_null, ..Interpretation::default() } }
}

/// Under each value of the open clause that this target may have chosen, where it matters.
fn chosen(from: &Hypothesis, container: &Container, of: impl Fn(ContainerNull) -> Changed) -> Vec<Changed> {
    if settings(container).default_ttl != Wire::Null {
        return vec![of(ContainerNull::default())];
    }
    let values = match from.null {
        Some(null) => vec![null],
        None => vec![ContainerNull::Off, ContainerNull::Rejected],
    };
    let chosen = |null| {
        let (next, status) = of(null);
        (Hypothesis { null: Some(null), ..next }, status)
    };
    values.into_iter().map(chosen).collect()
}

/// Whether the target only says that its account offers no lazy index (`indexed-modes-allow-ttl`).
pub(super) fn offers_no_lazy(known: &Observations, container: &Container, response: &Response) -> bool {
    container.indexing == Indexing::Lazy && !known.offers_lazy && response.status == Status::BadRequest
}
