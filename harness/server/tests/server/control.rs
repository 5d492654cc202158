//! Control requests, and what the clock and removal do to a container.

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::throughput::Throughput;
use cosmos_ttl_server::RemovalSchedule;
use cosmos_ttl_server::{EndpointConfig, ModelFactory, RestRequest};

use crate::running::model;
use crate::signed::{Shop, check_refused, json};

fn shop(settings: &str) -> Shop {
    Shop::open(model(Preferences::default()), settings)
}

fn create(shop: &Shop, id: &str, more: &str) -> u16 {
    shop.items("POST", "", &[], &format!(r#"{{"id":"{id}","pk":"p"{more}}}"#)).status
}

#[test]
fn advancing_the_clock_hides_an_item_at_its_deadline() {
    let shop = shop(r#","defaultTtl":10"#);
    assert_eq!(create(&shop, "a", ""), 201);
    assert_eq!(shop.control("POST", "/advance?seconds=9").status, 200);
    assert_eq!(shop.items("GET", "a", &[], "").status, 200);
    assert_eq!(shop.control("POST", "/advance?seconds=1").status, 200);
    assert_eq!(shop.items("GET", "a", &[], "").status, 404);
}

#[test]
fn one_container_can_be_advanced_alone() {
    let shop = shop(r#","defaultTtl":10"#);
    let other = r#"{"id":"other","partitionKey":{"paths":["/pk"]},"defaultTtl":10}"#;
    assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], other).status, 201);
    assert_eq!(create(&shop, "a", ""), 201);
    assert_eq!(shop.control("POST", "/advance?seconds=10&container=dbs/d/colls/other").status, 200);
    assert_eq!(shop.items("GET", "a", &[], "").status, 200);
}

#[test]
fn expired_items_are_listed_while_they_are_stored_and_come_back_when_the_container_is_switched_off() {
    let shop = shop(r#","defaultTtl":10"#);
    shop.control("POST", "/removal?schedule=by-hand");
    create(&shop, "a", "");
    shop.control("POST", "/advance?seconds=10");
    let listed = json(&shop.control("GET", "/expired"));
    assert_eq!((listed["count"].as_u64(), listed["expired"][0]["id"].as_str()), (Some(1), Some("a")));
    let off = r#"{"id":"c","partitionKey":{"paths":["/pk"]}}"#;
    assert_eq!(shop.ask("PUT", "/dbs/d/colls/c", &[], off).status, 200);
    assert_eq!(shop.items("GET", "a", &[], "").status, 200);
}

#[test]
fn what_was_removed_never_comes_back() {
    let shop = shop(r#","defaultTtl":10"#);
    shop.control("POST", "/removal?schedule=by-hand");
    create(&shop, "a", "");
    shop.control("POST", "/advance?seconds=10");
    assert_eq!(json(&shop.control("POST", "/remove-expired"))["removed"], 1);
    let off = r#"{"id":"c","partitionKey":{"paths":["/pk"]}}"#;
    shop.ask("PUT", "/dbs/d/colls/c", &[], off);
    assert_eq!(shop.items("GET", "a", &[], "").status, 404);
}

#[test]
fn under_eager_removal_nothing_expired_is_stored() {
    let shop = shop(r#","defaultTtl":10"#);
    create(&shop, "a", "");
    shop.control("POST", "/advance?seconds=10");
    assert_eq!(json(&shop.control("GET", "/expired"))["count"], 0);
}

#[test]
fn under_never_a_control_request_that_removes_is_refused() {
    let shop = shop(r#","defaultTtl":10"#);
    shop.control("POST", "/removal?schedule=never");
    create(&shop, "a", "");
    shop.control("POST", "/advance?seconds=10");
    check_refused(&shop.control("POST", "/remove-expired"), 409, "never");
    assert_eq!(json(&shop.control("GET", "/expired"))["count"], 1);
}

#[test]
fn a_reset_deletes_everything_and_sets_the_clock_back() {
    let shop = shop("");
    let before = json(&shop.control("GET", ""))["now"].clone();
    shop.control("POST", "/advance?seconds=1000");
    assert_eq!(shop.control("POST", "/reset").status, 200);
    assert_eq!(json(&shop.control("GET", ""))["now"], before);
    check_refused(&shop.ask("GET", "/dbs/d", &[], ""), 404, "the database");
}

#[test]
fn control_requests_that_mean_nothing_say_what_is_accepted() {
    let shop = shop("");
    check_refused(&shop.control("POST", "/advance"), 400, "/_ttl/advance?seconds=60");
    check_refused(&shop.control("POST", "/advance?seconds=-1"), 400, "whole number");
    check_refused(&shop.control("POST", "/advance?seconds=18446744073709551615"), 400, "less");
    check_refused(&shop.control("POST", "/removal?schedule=soon"), 400, "never, eager, by-hand");
    check_refused(&shop.control("POST", "/advance?seconds=1&container=dbs/d"), 400, "dbs/D/colls/C");
    check_refused(&shop.control("DELETE", ""), 400, "POST /_ttl/advance");
}

#[test]
fn a_web_page_may_not_turn_the_clock() {
    let shop = shop("");
    let mut request =
        RestRequest { verb: "POST".into(), path: "/_ttl/reset".into(), ..RestRequest::default() };
    request.headers.insert("origin".into(), "http://example.org".into());
    check_refused(&shop.0.ask(&request), 403, "web page");
}

#[test]
fn a_real_clock_cannot_be_advanced() {
    let endpoint = cosmos_ttl_server::CosmosEndpoint::new(model(Preferences::default()));
    let request = RestRequest {
        verb: "POST".into(),
        path: "/_ttl/advance".into(),
        query: "seconds=1".into(),
        ..RestRequest::default()
    };
    check_refused(&endpoint.ask(&request), 409, "--clock virtual");
}

fn provisioned(units: u32) -> EndpointConfig {
    let (preferences, throughput) = (Preferences::default(), Throughput::Provisioned(units));
    EndpointConfig::new(Box::new(ModelFactory { preferences, throughput }))
}

#[test]
fn a_request_beyond_the_budget_of_a_second_is_429_and_the_next_second_has_a_new_budget() {
    let shop = Shop::open(provisioned(10), "");
    assert_eq!((create(&shop, "a", ""), create(&shop, "b", "")), (201, 201));
    let refused = shop.items("POST", "", &[], r#"{"id":"x","pk":"p"}"#);
    assert_eq!((refused.status, refused.header("x-ms-retry-after-ms")), (429, Some("1000")));
    shop.control("POST", "/advance?seconds=1");
    assert_eq!(create(&shop, "c", ""), 201);
}

#[test]
fn removal_uses_only_what_users_left_over() {
    let shop = Shop::open(provisioned(10), r#","defaultTtl":1"#);
    assert_eq!((create(&shop, "a", ""), create(&shop, "b", "")), (201, 201));
    // The first second is used up.
    shop.control("POST", "/advance?seconds=1");
    assert_eq!(json(&shop.control("GET", "/expired"))["count"], 2);
    // The second one is idle: ten request units are two deletes.
    shop.control("POST", "/advance?seconds=1");
    assert_eq!(json(&shop.control("GET", "/expired"))["count"], 0);
}

#[test]
fn on_a_serverless_account_removal_is_billed() {
    let config = EndpointConfig { removal: RemovalSchedule::Eager, ..model(Preferences::default()) };
    let shop = Shop::open(config, r#","defaultTtl":1"#);
    create(&shop, "a", "");
    shop.control("POST", "/advance?seconds=1");
    assert_eq!(json(&shop.control("GET", ""))["removal-units"], 5);
}

#[test]
fn the_program_prints_its_url_its_key_unless_it_is_secret_and_its_control_requests_and_logs_requests() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    for (secret, shown) in [(None, "C2y6yDjf5/R+ob0N"), (Some("c2VjcmV0"), "(not shown)")] {
        let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_cosmos-ttl-server"))
            .args(["--listen", "127.0.0.1:0", "--log"])
            .envs(secret.map(|secret| ("COSMOS_TTL_SERVER_KEY", secret)))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let printed = BufReader::new(server.stdout.take().unwrap()).lines().take(9);
        let printed: Vec<_> = printed.map(Result::unwrap).collect();
        let address = printed[0].strip_prefix("http://").unwrap().to_owned();
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /_ttl?key=c2VjcmV0 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
        stream.read_to_string(&mut String::new()).unwrap();
        server.kill().unwrap();
        let log = String::from_utf8(server.wait_with_output().unwrap().stderr).unwrap();
        assert!(printed[1].starts_with("key: ") && printed[1].contains(shown), "{printed:?}");
        assert!(printed[3].starts_with("POST /_ttl/advance?seconds=N: "), "{printed:?}");
        assert!(
            log.starts_with("GET /_ttl 200 ") && log.ends_with(" ms\n") && log.lines().count() == 1,
            "{log}"
        );
        assert!(!(printed.join("\n") + &log).contains("c2VjcmV0"), "{printed:?} {log}");
    }
}
