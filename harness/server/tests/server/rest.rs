//! The REST surface, in process: what the clients rely on, and what is refused.

use cosmos_ttl_model::choices::Preferences;

use crate::running::model;
use crate::signed::{DATE, Shop, authorization, check_refused, endpoint, ids_of, json, request};

fn shop() -> Shop {
    Shop::open(model(Preferences::default()), r#","defaultTtl":-1"#)
}

fn create(shop: &Shop, id: &str, partition: &str) {
    let headers = [("x-ms-documentdb-partitionkey", format!("[\"{partition}\"]"))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let body = format!(r#"{{"id":"{id}","pk":"{partition}","n":1}}"#);
    assert_eq!(shop.ask("POST", "/dbs/d/colls/c/docs", &headers, &body).status, 201);
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
    assert_eq!(ids_of(&one).split(' ').count(), 600);
    let partition = [("x-ms-documentdb-partitionkey", "[\"q\"]"), ("x-ms-max-item-count", "299")];
    let of_q = shop.query("SELECT c.id FROM c", &partition);
    assert_eq!((ids_of(&of_q).split(' ').count(), of_q.header("x-ms-continuation").is_some()), (299, true));
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
        (&[][..], "a b c"),
        (&[(start, ""), (end, "FF")], "a b c"),
        (&[(key, r#"["x"]"#)], "a b"),
        (&[(key, r#"["x",1.0]"#)], "a"),
        (&[(key, r#"["xy",null]"#)], "c"),
        (&[(key, r#"["x",{}]"#)], ""),
        (&[(start, least), (end, most)], "a b"),
        (&[(start, most)], "c"),
    ] {
        let asked = [&[("x-ms-documentdb-isquery", "True")], headers].concat();
        let query = shop.ask("POST", "/dbs/d/colls/t/docs", &asked, r#"{"query":"SELECT * FROM c"}"#);
        assert_eq!(ids_of(&query), expected, "{headers:?}");
        assert_eq!(ids_of(&shop.ask("GET", "/dbs/d/colls/t/docs", headers, "")), expected, "{headers:?}");
    }
    check_refused(&shop.ask("GET", "/dbs/d/colls/t/docs/a", &[(key, r#"["x"]"#)], ""), 400, "2 value(s)");
    check_refused(&shop.query("SELECT * FROM c", &[(start, "1")]), 501, "whose `version` is not 2");
    let delete =
        |headers: &[_]| shop.ask("POST", "/dbs/d/colls/t/operations/partitionkeydelete", headers, "");
    check_refused(&delete(&[]), 400, "is missing");
    assert_eq!(delete(&[(key, r#"["x"]"#)]).status, 200);
    assert_eq!(ids_of(&shop.ask("GET", "/dbs/d/colls/t/docs", &[], "")), "c");
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
