//! The REST surface, in process: what the clients rely on, and what is refused.

use cosmos_ttl_model::choices::Preferences;

use crate::running::model;
use crate::signed::{DATE, Shop, authorization, check_refused, endpoint, json, request};

fn shop() -> Shop {
    Shop::open(model(Preferences::default()), r#","defaultTtl":-1"#)
}

fn create(shop: &Shop, id: &str, partition: &str) {
    let headers = [("x-ms-documentdb-partitionkey", format!("[\"{partition}\"]"))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let body = format!(r#"{{"id":"{id}","pk":"{partition}","n":1}}"#);
    assert_eq!(shop.ask("POST", "/dbs/d/colls/c/docs", &headers, &body).status, 201);
}

fn ids(answer: &cosmos_ttl_server::RestAnswer) -> Vec<String> {
    let items = json(answer)["Documents"].as_array().unwrap().clone();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_signature_of_three_independent_clients_is_accepted() {
    let known = "type%3Dmaster%26ver%3D1.0%26sig%3DD4r5VwiEkkgEbhXvYlCJwnSVvx4fXhQcnEHFOLTo6Es%3D";
    assert_eq!(authorization("POST", "dbs", "", DATE), known);
    let endpoint = endpoint(model(Preferences::default()));
    assert_eq!(
        endpoint.ask(&request("POST", "/dbs", &[("authorization", known)], r#"{"id":"d"}"#)).status,
        201
    );
}

#[test]
fn an_item_comes_back_as_it_was_written_with_what_the_server_adds() {
    let shop = shop();
    let body = r#"{"id":"a","pk":"p","ttl":10,"n":10.0,"_ts":5,"_etag":"mine","deep":{"b":[1.50]}}"#;
    let created = shop.items("POST", "", &[], body);
    assert_eq!(created.status, 201, "{}", created.body);
    assert!(created.body.contains("\"n\":10.0") && created.body.contains("[1.50]"), "{}", created.body);
    let item = json(&created);
    assert_eq!((item["ttl"].as_i64(), item["_ts"].as_i64()), (Some(10), Some(1_767_225_600)));
    assert_eq!(item["_etag"].as_str(), created.header("etag"));
    assert_ne!(item["_etag"], "mine");
    assert_eq!(created.header("x-ms-request-charge"), Some("5"));
}

#[test]
fn pages_continue_where_the_last_one_ended_even_if_its_last_item_is_gone() {
    let shop = shop();
    for id in ["a", "b", "c", "d", "e"] {
        create(&shop, id, "p");
    }
    let first = shop.query("SELECT * FROM c", &[("x-ms-max-item-count", "2")]);
    assert_eq!(ids(&first), ["a", "b"]);
    shop.items("DELETE", "b", &[], "");
    let token = first.header("x-ms-continuation").unwrap();
    let second = shop.query("SELECT * FROM c", &[("x-ms-max-item-count", "3"), ("x-ms-continuation", token)]);
    assert_eq!(
        (ids(&second), second.header("x-ms-continuation")),
        (vec!["c".into(), "d".into(), "e".into()], None)
    );
    check_refused(&shop.query("SELECT * FROM c", &[("x-ms-continuation", "x")]), 400, "no token");
    check_refused(&shop.query("SELECT * FROM c", &[("x-ms-max-item-count", "0")]), 400, "at least 1");
}

#[test]
fn lists_of_databases_and_containers_have_pages() {
    let shop = shop();
    for name in ["e", "f", "g"] {
        let body = format!(r#"{{"id":"{name}","partitionKey":{{"paths":["/pk"]}}}}"#);
        assert_eq!(shop.ask("POST", "/dbs", &[], &body).status, 201);
        assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], &body).status, 201);
    }
    for (path, kind, all) in [
        ("/dbs", "Databases", ["d", "e", "f", "g"]),
        ("/dbs/d/colls", "DocumentCollections", ["c", "e", "f", "g"]),
    ] {
        let (mut seen, mut token) = (Vec::new(), String::new());
        for expected in [3, 1] {
            let headers = [("x-ms-max-item-count", "3"), ("x-ms-continuation", &*token)];
            let page = shop.ask("GET", path, &headers, "");
            let entries = json(&page)[kind].as_array().unwrap().clone();
            assert_eq!((entries.len(), json(&page)["_count"].as_u64()), (expected, Some(expected as u64)));
            seen.extend(entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()));
            token = page.header("x-ms-continuation").unwrap_or_default().to_owned();
        }
        assert_eq!((&seen[..], &*token), (&all.map(str::to_owned)[..], ""));
        check_refused(&shop.ask("GET", path, &[("x-ms-max-item-count", "0")], ""), 400, "at least 1");
        check_refused(&shop.ask("GET", path, &[("x-ms-continuation", "x")], ""), 400, "no token");
    }
    create(&shop, "a", "p");
    create(&shop, "b", "p");
    let page = shop.query("SELECT * FROM c", &[("x-ms-max-item-count", "1")]);
    let of_items = page.header("x-ms-continuation").unwrap();
    check_refused(&shop.ask("GET", "/dbs", &[("x-ms-continuation", of_items)], ""), 400, "no token");
}

#[test]
fn a_page_of_containers_ends_after_a_mebibyte() {
    let shop = shop();
    let large = "x".repeat(600_000);
    for name in ["e", "f", "g"] {
        let body = format!(
            r#"{{"id":"{name}","partitionKey":{{"paths":["/pk"]}},"indexingPolicy":{{"text":"{large}"}}}}"#
        );
        assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], &body).status, 201);
    }
    let page = shop.ask("GET", "/dbs/d/colls", &[], "");
    assert_eq!(json(&page)["_count"], 3);
    assert!(page.header("x-ms-continuation").is_some());
}

#[test]
fn feeds_of_more_items_than_one_step_of_the_model_are_whole() {
    let shop = shop();
    for number in 0..600 {
        create(&shop, &format!("{number:03}"), ["p", "q"][number % 2]);
    }
    let one = shop.query("SELECT * FROM c", &[("x-ms-max-item-count", "1000")]);
    assert_eq!(ids(&one).len(), 600);
    let partition = [("x-ms-documentdb-partitionkey", "[\"q\"]"), ("x-ms-max-item-count", "299")];
    let of_q = shop.query("SELECT c.id FROM c", &partition);
    assert_eq!((ids(&of_q).len(), of_q.header("x-ms-continuation").is_some()), (299, true));
    assert_eq!(json(&shop.query("SELECT VALUE COUNT(1) FROM c", &[]))["Documents"][0], 600);
}

#[test]
fn a_feed_is_of_the_partitions_that_its_headers_name() {
    let shop = shop();
    let tenants = r#"{"id":"t","partitionKey":{"paths":["/t","/u"],"kind":"MultiHash","version":2}}"#;
    assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], tenants).status, 201);
    for (id, tenant, user) in [("a", r#""x""#, "1"), ("b", r#""x""#, "true"), ("c", r#""xy""#, "null")] {
        let key = format!("[{tenant},{user}]");
        let body = format!(r#"{{"id":"{id}","t":{tenant},"u":{user}}}"#);
        let headers = [("x-ms-documentdb-partitionkey", &*key)];
        assert_eq!(shop.ask("POST", "/dbs/d/colls/t/docs", &headers, &body).status, 201);
    }
    let (key, start, end) = ("x-ms-documentdb-partitionkey", "x-ms-start-epk", "x-ms-end-epk");
    // As azure-cosmos 4.17.1 computes the hash of ["x"].
    let (least, most) = ("11E3F358618BE9AA5BAFF4C7C74F0716", "11E3F358618BE9AA5BAFF4C7C74F0716FF");
    for (headers, expected) in [
        (&[][..], ["a", "b", "c"].as_slice()),
        (&[(start, ""), (end, "FF")], &["a", "b", "c"]),
        (&[(key, r#"["x"]"#)], &["a", "b"]),
        (&[(key, r#"["x",1.0]"#)], &["a"]),
        (&[(key, r#"["xy",null]"#)], &["c"]),
        (&[(key, r#"["x",{}]"#)], &[]),
        (&[(start, least), (end, most)], &["a", "b"]),
        (&[(start, most)], &["c"]),
    ] {
        let asked = [&[("x-ms-documentdb-isquery", "True")], headers].concat();
        let query = shop.ask("POST", "/dbs/d/colls/t/docs", &asked, r#"{"query":"SELECT * FROM c"}"#);
        assert_eq!(ids(&query), expected, "{headers:?}");
        assert_eq!(ids(&shop.ask("GET", "/dbs/d/colls/t/docs", headers, "")), expected, "{headers:?}");
    }
    check_refused(&shop.ask("GET", "/dbs/d/colls/t/docs/a", &[(key, r#"["x"]"#)], ""), 400, "2 value(s)");
    check_refused(&shop.query("SELECT * FROM c", &[(start, "1")]), 501, "whose `version` is not 2");
    let delete =
        |headers: &[_]| shop.ask("POST", "/dbs/d/colls/t/operations/partitionkeydelete", headers, "");
    check_refused(&delete(&[]), 400, "is missing");
    assert_eq!(delete(&[(key, r#"["x"]"#)]).status, 200);
    assert_eq!(ids(&shop.ask("GET", "/dbs/d/colls/t/docs", &[], "")), ["c"]);
}

#[test]
fn a_read_of_what_the_client_has_is_304_until_it_is_written_or_expires() {
    let shop = shop();
    let tag =
        shop.items("POST", "", &[], r#"{"id":"a","pk":"p","ttl":2}"#).header("etag").unwrap().to_owned();
    let read = || shop.items("GET", "a", &[("if-none-match", &tag)], "").status;
    assert_eq!(read(), 304);
    shop.control("POST", "/advance?seconds=2");
    assert_eq!(read(), 404);
    assert_eq!(shop.items("POST", "", &[], r#"{"id":"a","pk":"p"}"#).status, 201);
    assert_eq!(read(), 200);
}

#[test]
fn a_container_can_be_written_with_every_default_and_written_back_as_it_was_read() {
    let shop = shop();
    let body = r#"{"id":"e","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},"analyticalStorageTtl":null,
        "changeFeedPolicy":null,"computedProperties":[],"geospatialConfig":{"type":"Geography"},"uniqueKeyPolicy":{"uniqueKeys":[]},
        "conflictResolutionPolicy":{"mode":"LastWriterWins","conflictResolutionPath":"/_ts","conflictResolutionProcedure":""},
        "_sprocs":"sprocs/","_triggers":"triggers/","_udfs":"udfs/","_conflicts":"conflicts/"}"#;
    assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], body).status, 201);
    let read = shop.ask("GET", "/dbs/d/colls/e", &[], "");
    let written = shop.ask("PUT", "/dbs/d/colls/e", &[], &read.body);
    assert_eq!(written.status, 200, "{}", written.body);
}

#[test]
fn a_container_is_replaced_or_deleted_only_if_it_has_the_etag_that_if_match_names() {
    let shop = shop();
    let first = shop.ask("GET", "/dbs/d/colls/c", &[], "").header("etag").unwrap().to_owned();
    let replace = |etag: &str| {
        let body = r#"{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10}"#;
        shop.ask("PUT", "/dbs/d/colls/c", &[("if-match", etag)], body)
    };
    let second = replace(&first).header("etag").unwrap().to_owned();
    check_refused(&replace(&first), 412, "`if-match`");
    assert_eq!(replace("*").status, 200);
    for path in ["/dbs/d/colls/c", "/dbs/d"] {
        check_refused(&shop.ask("DELETE", path, &[("if-match", &second)], ""), 412, "`if-match`");
        let third = shop.ask("GET", path, &[], "").header("etag").unwrap().to_owned();
        assert_eq!(shop.ask("DELETE", path, &[("if-match", &third)], "").status, 204);
    }
}

#[test]
fn a_client_that_knows_the_ranges_of_partitions_is_told_that_nothing_changed() {
    let shop = shop();
    let first = shop.ask("GET", "/dbs/d/colls/c/pkranges/", &[], "");
    let tag = first.header("etag").unwrap();
    assert_eq!(shop.ask("GET", "/dbs/d/colls/c/pkranges/", &[("if-none-match", tag)], "").status, 304);
}

#[test]
fn a_container_that_has_no_room_is_refused() {
    let config = cosmos_ttl_server::EndpointConfig { most_bytes: 4_000, ..model(Preferences::default()) };
    let shop = Shop::open(config, "");
    let body = |id: &str| {
        let large = "x".repeat(3_000);
        format!(
            r#"{{"id":"{id}","partitionKey":{{"paths":["/pk"],"kind":"Hash"}},"indexingPolicy":{{"text":"{large}"}}}}"#
        )
    };
    assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], &body("e")).status, 201);
    check_refused(&shop.ask("POST", "/dbs/d/colls", &[], &body("f")), 403, "its limit of 4000 bytes");
    check_refused(&shop.ask("PUT", "/dbs/d/colls/c", &[], &body("c")), 403, "its limit of 4000 bytes");
    assert_eq!(shop.ask("DELETE", "/dbs/d/colls/e", &[], "").status, 204);
    assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], &body("f")).status, 201);
}

#[test]
fn a_definition_takes_the_room_of_the_one_that_it_replaces() {
    let config = cosmos_ttl_server::EndpointConfig { most_bytes: 4_000, ..model(Preferences::default()) };
    let shop = Shop::open(config, "");
    let replace = |length: usize| {
        let large = "x".repeat(length);
        let body = format!(
            r#"{{"id":"c","partitionKey":{{"paths":["/pk"]}},"indexingPolicy":{{"text":"{large}"}}}}"#
        );
        shop.ask("PUT", "/dbs/d/colls/c", &[], &body)
    };
    assert_eq!((replace(3_000).status, replace(3_500).status), (200, 200));
    check_refused(&replace(4_000), 403, "its limit of 4000 bytes");
}

#[test]
fn a_write_that_has_no_room_is_refused_and_a_delete_makes_room() {
    let config = cosmos_ttl_server::EndpointConfig { most_bytes: 4_000, ..model(Preferences::default()) };
    let shop = Shop::open(config, "");
    let large = "x".repeat(3_000);
    let body = |id: &str| format!(r#"{{"id":"{id}","pk":"p","text":"{large}"}}"#);
    assert_eq!(shop.items("POST", "", &[], &body("a")).status, 201);
    check_refused(&shop.items("POST", "", &[], &body("b")), 403, "its limit of 4000 bytes");
    assert_eq!(shop.items("DELETE", "a", &[], "").status, 204);
    assert_eq!(shop.items("POST", "", &[], &body("b")).status, 201);
}

#[test]
fn a_batch_whose_answer_would_be_too_large_is_refused_and_has_no_effect() {
    let shop = shop();
    let large = format!(r#"{{"id":"a","pk":"p","text":"{}"}}"#, "x".repeat(1_500_000));
    assert_eq!(shop.items("POST", "", &[], &large).status, 201);
    let headers = [("x-ms-cosmos-is-batch-request", "True"), ("x-ms-cosmos-batch-atomic", "True")];
    let batch = |operations: &str| shop.items("POST", "", &headers, &format!("[{operations}]"));
    let new = r#"{"operationType":"Create","resourceBody":{"id":"b","pk":"p"}}"#;
    let read = r#"{"operationType":"Read","id":"a"}"#;
    let patch = r#"{"operationType":"Patch","id":"a","resourceBody":[{"op":"set","path":"/n","value":1}]}"#;
    for one in [read, patch] {
        check_refused(&batch(&format!("{new},{one},{one},{one}")), 413, "4194304 bytes");
        assert_eq!(shop.items("GET", "b", &[], "").status, 404);
        assert_eq!(batch(&format!("{one},{one}")).status, 200);
    }
    let over = r#"{"operationType":"Replace","id":"a","resourceBody":{"id":"a","pk":"p"}}"#;
    assert_eq!(batch(&format!("{over},{read},{read},{read},{read}")).status, 200);
}

#[test]
fn a_patch_that_would_make_an_item_too_large_is_refused() {
    let shop = shop();
    create(&shop, "a", "p");
    let patch = |name: &str| {
        let value = "x".repeat(1_500_000);
        shop.items("PATCH", "a", &[], &format!(r#"[{{"op":"set","path":"/{name}","value":"{value}"}}]"#))
    };
    assert_eq!((patch("n").status, patch("n").status), (200, 200));
    check_refused(&patch("m"), 413, "more than 2162688 bytes");
    assert!(shop.items("GET", "a", &[], "").body.len() < 1_600_000);
}

#[test]
fn a_partition_key_that_is_too_long_is_refused() {
    let key = "k".repeat(5_000);
    let headers = [("x-ms-documentdb-partitionkey", &*format!("[\"{key}\"]"))];
    let body = format!(r#"{{"id":"a","pk":"{key}"}}"#);
    check_refused(&shop().ask("POST", "/dbs/d/colls/c/docs", &headers, &body), 400, "at most 4096 bytes");
}
