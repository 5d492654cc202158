//! The knowledge of a client.

use cosmos_ttl_checker::client::{Client, PossibleAnswers};
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::{ItemId, Operation, Request};

#[test]
fn what_one_item_s_client_can_tell_are_forty_seven_things() {
    assert_eq!(Client::new(1, 1).walk().len(), 21);
    assert_eq!(Client::new(1, 2).walk().len(), 47);
    assert_eq!(Client::new(1, 3).walk().len(), 87);
    assert_eq!(Client::new(2, 1).walk().len(), 149);
}

#[test]
fn a_removal_that_would_not_be_noticed_leaves_two_worlds() {
    let client = Client::new(1, 1);
    let mut fates = client.walk();
    fates.retain(|view| matches!(view.known(ItemId(0)), ClientKnowledge::Open { .. }));
    assert!(!fates.is_empty());
    for view in fates {
        let told = client.ask(&view, &Request::Item(Operation::Read(ItemId(0))));
        assert!(matches!(told, PossibleAnswers::Fate { .. }), "{told:?}");
    }
}
