//! The pages for a person who walks through a model in stateright's Explorer.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use cosmos_ttl_checker::{CheckScope, ExplorerLabels, ModelAction, Semantics, Shipped, ablation, explore};
use cosmos_ttl_model::container::{Content, Draft, ItemId, Operation, Request};
use cosmos_ttl_model::rule::Wire;
use serde_json::Value;

const ITEM: ItemId = ItemId(0);

fn create() -> ModelAction {
    let draft = Draft { id: ITEM, ttl: Wire::Absent, content: Content(9) };
    ModelAction::Ask(Request::Item(Operation::Create(draft)))
}

const LABELS: ExplorerLabels = ExplorerLabels {
    action: |action| format!("{action:?}"),
    events: |events| vec![format!("{} events", events.len())],
};

/// Serves an Explorer until the program ends.
fn serve(semantics: impl Semantics) -> SocketAddr {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    thread::spawn(move || explore(semantics, CheckScope::Small, address, LABELS));
    address
}

#[expect(clippy::disallowed_methods, reason = "a server takes a moment to start")]
fn connect(address: SocketAddr) -> TcpStream {
    let mut tries = (0..1000).map(|_| {
        thread::sleep(Duration::from_millis(20));
        TcpStream::connect(address)
    });
    tries.find_map(Result::ok).unwrap()
}

/// The steps from a state that these choices lead to, each an index of a list like this one.
fn steps(address: SocketAddr, choices: &[usize]) -> Vec<Value> {
    let mut stream = connect(address);
    let path: Vec<_> = choices.iter().map(usize::to_string).collect();
    write!(stream, "GET /.states/{} HTTP/1.0\r\n\r\n", path.join("/")).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

/// Takes actions from a container with a default of 1 s; the last step and state as a person reads them.
fn walk(address: SocketAddr, actions: &[ModelAction]) -> (String, String) {
    let mut choices = vec![2];
    let mut last = Value::Null;
    for action in actions {
        let offered = steps(address, &choices);
        let choice = offered.iter().position(|step| step["action"] == format!("{action:?}")).unwrap();
        choices.push(choice);
        last = offered[choice].clone();
    }
    let [step, state] = ["outcome", "state"].map(|field| last[field].as_str().unwrap().to_string());
    assert_eq!(step.contains("\nBROKEN: "), state.starts_with("BROKEN "));
    (step, state)
}

#[test]
fn a_step_is_told_with_the_state_that_it_leads_to() {
    let address = serve(Shipped);
    let removed = [create(), ModelAction::Pass, ModelAction::Remove(ITEM)];
    for (actions, expected) in [
        (&[ModelAction::Pass][..], "defaultTtl 1; nothing is stored"),
        (&removed[..1], "defaultTtl 1; a: no ttl, 0 s old"),
        (&removed[..2], "defaultTtl 1; a: no ttl, 1 s old"),
        (&removed, "defaultTtl 1; nothing is stored"),
    ] {
        assert_eq!(walk(address, actions), (format!("1 events\n{expected}"), expected.to_string()));
    }
}

#[test]
fn a_step_that_breaks_a_property_says_which() {
    let wrong = ablation::all().find(|one| one.clause == "expired-read-not-found").unwrap();
    let read = ModelAction::Ask(Request::Item(Operation::Read(ITEM)));
    let (step, state) = walk(serve(*wrong), &[create(), ModelAction::Pass, read]);
    assert_eq!(state, "BROKEN by the last step; defaultTtl 1; a: no ttl, 1 s old");
    assert!(step.contains("\nBROKEN: a read of an item that is gone answers not found"), "{step}");
}

#[test]
fn an_address_that_is_taken_is_an_error_and_no_panic() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(explore(Shipped, CheckScope::Small, taken.local_addr().unwrap(), LABELS).is_err());
}
