//! The three-by-three table.

use super::Without;
use super::hooks::{amend, as_own, one_second, revived, written};
use cosmos_ttl_model::container::{Content, Item, ItemId, Operation, Request, Response, Rules, World};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl};

/// A number that stands for no content.
const NO_CONTENT: Content = Content(u32::MAX);

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("off-never-expires", "an item's own `ttl` counts while the container is off as well")
        .step(|world, rules, request| match request {
            Request::Configure(_) => world.step(rules, request),
            _ => switched_on(world, |on| on.step(rules, request)),
        })
        .remove(|world, id| {
            let on = switched_on(world, |on| (on.remove(id).unwrap_or_else(|| on.clone()), Response::Configured)).0;
            (on.items.len() < world.items.len()).then_some(on)
        }),
    Without::new("item-seconds-override", "a default holds for every item, whatever number the item says")
        .seen(|world, item| match (world.settings.default_ttl, item.ttl) {
            (DefaultTtl::Seconds(_), ItemTtl::Seconds(_)) => Item { ttl: ItemTtl::Inherit, ..item },
            _ => item,
        }),
    Without::new("item-minus-one-overrides", "-1 of an item says nothing: the default holds")
        .seen(|_, item| if item.ttl == ItemTtl::Never { Item { ttl: ItemTtl::Inherit, ..item } } else { item }),
    Without::new("item-inherits-seconds", "an item without `ttl` never expires, whatever the default")
        .seen(|_, item| if item.ttl == ItemTtl::Inherit { Item { ttl: ItemTtl::Never, ..item } } else { item }),
    Without::new("item-inherits-no-default", "under -1 an item without `ttl` lives as short as can be, a second")
        .seen(|world, item| match (world.settings.default_ttl, item.ttl) {
            (DefaultTtl::NoDefault, ItemTtl::Inherit) => Item { ttl: one_second(), ..item },
            _ => item,
        }),
    Without::new("inherited-ttl-not-written-back", "the default is written into every item that has no `ttl`")
        .then(|turn, after, answer| {
            if let DefaultTtl::Seconds(_) = after.settings.default_ttl {
                let own = as_own(after.settings.default_ttl);
                for id in written(turn.before, after) {
                    amend(after, answer, id, |item| if item.ttl == ItemTtl::Inherit { item.ttl = own });
                }
            }
        }),
    Without::new("whole-item-expires", "of an expired item the content goes, and the rest can still be read")
        .step(read_empty),
];

/// Runs something as if a container that is off were on, without a default.
fn switched_on(world: &World, run: impl FnOnce(&World) -> (World, Response)) -> (World, Response) {
    let mut on = world.clone();
    if on.settings.default_ttl == DefaultTtl::Off {
        on.settings.default_ttl = DefaultTtl::NoDefault;
    }
    let (mut after, answer) = run(&on);
    after.settings = world.settings;
    (after, answer)
}

fn read_empty(world: &World, rules: Rules, request: &Request) -> (World, Response) {
    let expired = |id: &ItemId| world.expired(*id).copied();
    match request {
        Request::Item(Operation::Read(id)) => match expired(id) {
            Some(item) => (world.clone(), Response::Found(Item { content: NO_CONTENT, ..item })),
            None => world.step(rules, request),
        },
        Request::Query => revived(world, rules, request),
        _ => world.step(rules, request),
    }
}
