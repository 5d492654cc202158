//! Items do not influence each other: what happens to one is what would happen if the other were not there.

use cosmos_ttl_model::container::{Request, World};

use crate::worlds::{A, B, VALUES, consistent, operations, worlds};

#[test]
fn a_request_about_one_item_or_the_settings_is_answered_and_done_as_if_the_other_item_were_not_there() {
    let configures = VALUES.map(|value| Request::Configure(consistent(value)));
    let requests: Vec<_> = operations(A).into_iter().map(Request::Item).chain(configures).collect();
    for world in worlds() {
        let alone = World { items: [(A, world.items[&A])].into(), ..world.clone() };
        for request in &requests {
            let mut outcomes = world.outcomes(request);
            for (_, (after, _)) in &mut outcomes {
                assert_eq!(after.items.remove(&B).as_ref(), world.items.get(&B), "{request:?} {world:?}");
            }
            assert_eq!(outcomes, alone.outcomes(request), "{request:?} {world:?}");
        }
    }
}
