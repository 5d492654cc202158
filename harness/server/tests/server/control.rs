//! Stories of requests and control requests, and what the clock and removal do to a container.

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::throughput::Throughput;
use cosmos_ttl_server::{CosmosEndpoint, EndpointConfig, ModelFactory, RestRequest};

use crate::running::model;
use crate::signed::{Shop, check_refused};

#[test]
fn each_story_goes_as_it_is_told() {
    let stories = include_str!("stories.txt").split("## ").skip(1);
    for (title, story) in stories.map(|story| story.split_once('\n').unwrap()) {
        let settings =
            title.split_once(": ").map_or_else(String::new, |(_, settings)| format!(",{settings}"));
        let mut config = model(Preferences::default());
        if title.contains("4,000 bytes") {
            config.most_bytes = 4_000;
        }
        Shop::open(config, &settings).play(title, story);
    }
}

fn asked(path: &str) -> RestRequest {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    RestRequest { verb: "POST".into(), path: path.into(), query: query.into(), ..RestRequest::default() }
}

#[test]
fn a_web_page_may_not_turn_the_clock() {
    let mut request = asked("/_ttl/reset");
    request.headers.insert("origin".into(), "http://example.org".into());
    let shop = Shop::open(model(Preferences::default()), "");
    check_refused(&shop.0.ask(&request), 403, "web page");
}

#[test]
fn a_real_clock_cannot_be_advanced() {
    let endpoint = CosmosEndpoint::new(model(Preferences::default()));
    check_refused(&endpoint.ask(&asked("/_ttl/advance?seconds=1")), 409, "--clock virtual");
}

fn provisioned(units: u32) -> EndpointConfig {
    let (preferences, throughput) = (Preferences::default(), Throughput::Provisioned(units));
    EndpointConfig::new(Box::new(ModelFactory { preferences, throughput }))
}

#[test]
fn a_request_beyond_the_budget_of_a_second_is_429_and_the_next_second_has_a_new_budget() {
    let shop = Shop::open(provisioned(10), "");
    shop.play(
        "one second",
        r#"
        POST docs {"id":"a","pk":"p"} -> 201
        POST docs {"id":"b","pk":"p"} -> 201
        POST docs {"id":"x","pk":"p"} -> 429
        "#,
    );
    let refused = shop.items("POST", "", &[], r#"{"id":"x","pk":"p"}"#);
    assert_eq!(refused.header("x-ms-retry-after-ms"), Some("1000"));
    shop.play(
        "the next",
        r#"
        POST /_ttl/advance?seconds=1 -> 200
        POST docs {"id":"c","pk":"p"} -> 201
        "#,
    );
}

#[test]
fn removal_uses_only_what_users_left_over() {
    // The first second is used up. The second one is idle: ten request units are two deletes.
    Shop::open(provisioned(10), r#","defaultTtl":1"#).play(
        "an idle second",
        r#"
        POST docs {"id":"a","pk":"p"} -> 201
        POST docs {"id":"b","pk":"p"} -> 201
        POST /_ttl/advance?seconds=1 -> 200
        GET /_ttl/expired -> 200 "count":2
        POST /_ttl/advance?seconds=1 -> 200
        GET /_ttl/expired -> 200 "count":0
        "#,
    );
}

#[test]
fn the_program_prints_its_url_its_key_unless_it_is_secret_and_its_control_requests() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    for (secret, shown) in [(None, "C2y6yDjf5/R+ob0N"), (Some("c2VjcmV0"), "(not shown)")] {
        let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_cosmos-ttl-server"))
            .args(["--listen", "127.0.0.1:0", "--log", "-"])
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
        assert!(log.is_empty(), "a control request asks no item: {log}");
        assert!(!(printed.join("\n") + &log).contains("c2VjcmV0"), "{printed:?} {log}");
    }
}
