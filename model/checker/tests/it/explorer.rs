//! The pages for a person who walks through a model in stateright's Explorer.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use cosmos_ttl_checker::{Semantics, explore};
use serde_json::Value;

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
fn walk(address: SocketAddr, actions: &[&str]) -> (String, String) {
    let starts = steps(address, &[]);
    let start = starts.iter().position(|step| step["state"] == "container defaultTtl: 1; nothing is stored");
    let mut choices = vec![start.unwrap()];
    let mut last = Value::Null;
    for action in actions {
        let offered = steps(address, &choices);
        let choice = offered.iter().position(|step| step["action"] == *action).unwrap();
        // From a step one way leads on.
        choices.extend([choice, 0]);
        last = offered[choice].clone();
    }
    (last["outcome"].as_str().unwrap().to_string(), last["properties"].to_string())
}

#[test]
fn a_step_is_told_with_the_world_that_it_leads_to_and_each_statement_is_shown() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    thread::spawn(move || explore(Semantics::SHIPPED, address));
    let (told, properties) = walk(address, &["create a", "1 s passes", "a is removed"]);
    assert_eq!(told, "a is removed\na step to: container defaultTtl: 1; nothing is stored");
    assert!(properties.contains("an operation that its item does not allow is not found"), "{properties}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(explore(Semantics::SHIPPED, taken.local_addr().unwrap()).is_err());
}
