//! Which values are settings at all.

use super::{Turn, Without};
use cosmos_ttl_model::container::{
    Draft, Operation, Refusal, Request, Response, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredPrecondition, ExpiredUpsert};
use cosmos_ttl_model::interpretation::{
    ContainerNull, IntegralFraction, Interpretation, InvalidWhileOff, LazyIndex,
};
use cosmos_ttl_model::rule::{DefaultTtl, Edition, MAX_TTL_S, Wire};

const MAX: i64 = MAX_TTL_S as i64;

/// No setting.
const NONE: Wire = Wire::Whole(0);

/// What the evidence favours.
pub(super) const USUAL: Interpretation = Interpretation {
    container_null: ContainerNull::Off,
    integral_fraction: IntegralFraction::Rejected,
    invalid_while_off: InvalidWhileOff::Rejected,
    aggregates: Aggregates::Excluded,
    expired_upsert: ExpiredUpsert::Created,
    expired_precondition: ExpiredPrecondition::NotFound,
    lazy_index: LazyIndex::Complete,
};

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("container-absent-is-off", "a new container without `defaultTtl` is on, without a default")
        .settings(|world, draft| match draft.default_ttl {
            Wire::Absent if world.is_none() => with(draft, Wire::Whole(-1)),
            _ => draft,
        }),
    Without::new("container-null-is-off", "null must mean the same as leaving it out; it may not be refused")
        .insists("off", |rules| reading(rules, |i| Interpretation { container_null: ContainerNull::Off, ..i }),
            Interpretation { container_null: ContainerNull::Rejected, ..USUAL }),
    Without::new("container-minus-one-is-on-without-default", "-1 is the same as leaving `defaultTtl` out")
        .settings(|_, draft| default(draft, |wire| if wire == Wire::Whole(-1) { Wire::Absent } else { wire })),
    Without::new("container-seconds-range", "the bounds themselves, 1 and 2147483647, are refused")
        .settings(|_, draft| default(draft, without_bounds)),
    Without::new("container-zero-rejected", "0 is taken as if it were absent")
        .settings(|_, draft| default(draft, |wire| if wire == NONE { Wire::Absent } else { wire })),
    Without::new("container-below-minus-one-rejected", "every negative number is taken as -1")
        .settings(|_, draft| default(draft, negative_as_never)),
    Without::new("container-above-maximum-rejected", "whatever is too large is taken as -1, as good as for ever")
        .settings(|_, draft| default(draft, too_large_as_never)),
    Without::new("container-not-an-integer-rejected", "what is no whole number is taken as if it were absent")
        .settings(|_, draft| default(draft, |wire| match wire {
            Wire::NoNumber | Wire::WholeAsFraction(_) => Wire::Absent,
            wire => wire,
        })),
    Without::new("container-rejected-leaves-container", "a refused setting leaves the container switched off")
        .then(|turn, after, answer| {
            if let (Request::Configure(_), Response::Refused(_)) = (turn.request, answer) {
                after.settings.default_ttl = DefaultTtl::Off;
            }
        }),
    Without::new("item-absent-inherits", "an item without `ttl` is stored with -1")
        .ttl(|_, _, wire| if wire == Wire::Absent { Wire::Whole(-1) } else { wire }),
    Without::new("item-minus-one-allowed", "-1 is no number of seconds and refused")
        .ttl(|_, _, wire| if wire == Wire::Whole(-1) { NONE } else { wire }),
    Without::new("item-seconds-range", "the bounds themselves, 1 and 2147483647, are refused")
        .ttl(|_, _, wire| without_bounds(wire)),
    Without::new("item-null-rejected", "null inherits, as in the edition before")
        .ttl(|_, rules, wire| match (wire, rules.edition) {
            (Wire::Null, Edition::Y2024) => Wire::Absent,
            _ => wire,
        }),
    Without::new("item-null-inherits", "null is refused, as in the edition after")
        .ttl(|_, rules, wire| match (wire, rules.edition) {
            (Wire::Null, Edition::Y2020) => NONE,
            _ => wire,
        }),
    Without::new("item-zero-rejected", "0 is taken as if it were absent")
        .ttl(|_, _, wire| if wire == NONE { Wire::Absent } else { wire }),
    Without::new("item-below-minus-one-rejected", "every negative number is taken as -1")
        .ttl(|_, _, wire| negative_as_never(wire)),
    Without::new("item-above-maximum-rejected", "whatever is too large is taken as -1, as good as for ever")
        .ttl(|_, _, wire| too_large_as_never(wire)),
    Without::new("item-not-an-integer-rejected", "what is no whole number is taken as if it were absent")
        .ttl(|_, _, wire| if wire == Wire::NoNumber { Wire::Absent } else { wire }),
    Without::new("item-integral-fraction", "10.0 must be refused; it may not count as 10")
        .insists("rejected",
            |rules| reading(rules, |i| Interpretation { integral_fraction: IntegralFraction::Rejected, ..i }),
            Interpretation { integral_fraction: IntegralFraction::Accepted, ..USUAL }),
    Without::new("item-invalid-while-off", "what is no setting must be refused while the container is off as well")
        .insists("rejected",
            |rules| reading(rules, |i| Interpretation { invalid_while_off: InvalidWhileOff::Rejected, ..i }),
            Interpretation { invalid_while_off: InvalidWhileOff::Stored, ..USUAL }),
    Without::new("item-rejected-stores-nothing", "a refused write is stored all the same, without its `ttl`")
        .then(store_all_the_same),
];

/// The rules with one choice made.
pub(super) fn reading(rules: Rules, choose: fn(Interpretation) -> Interpretation) -> Rules {
    Rules { interpretation: choose(rules.interpretation), ..rules }
}

fn with(draft: SettingsDraft, default_ttl: Wire) -> SettingsDraft {
    SettingsDraft { default_ttl, ..draft }
}

fn default(draft: SettingsDraft, read: fn(Wire) -> Wire) -> SettingsDraft {
    with(draft, read(draft.default_ttl))
}

fn without_bounds(wire: Wire) -> Wire {
    if let Wire::Whole(1 | MAX) = wire { NONE } else { wire }
}

fn negative_as_never(wire: Wire) -> Wire {
    match wire {
        Wire::Whole(number) if number < 0 => Wire::Whole(-1),
        wire => wire,
    }
}

fn too_large_as_never(wire: Wire) -> Wire {
    match wire {
        Wire::Whole(number) if MAX < number => Wire::Whole(-1),
        wire => wire,
    }
}

fn store_all_the_same(turn: &Turn<'_>, after: &mut World, answer: &mut Response) {
    if *answer != Response::Refused(Refusal::BadRequest) {
        return;
    }
    let kept = |draft: &Draft| Draft { ttl: Wire::Absent, ..*draft };
    let stored = match turn.request {
        Request::Item(Operation::Create(draft)) => Operation::Create(kept(draft)),
        Request::Item(Operation::Upsert(draft)) => Operation::Upsert(kept(draft)),
        Request::Item(Operation::Replace { draft, if_match }) => {
            Operation::Replace { draft: kept(draft), if_match: *if_match }
        }
        Request::Item(Operation::Patch { id, content, if_match, .. }) => {
            Operation::Patch { id: *id, ttl: TtlChange::Keep, content: *content, if_match: *if_match }
        }
        _ => return,
    };
    *after = turn.before.step(turn.rules, &Request::Item(stored)).0;
}
