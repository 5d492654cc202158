//! Queries and patches: what each finds or makes, and what is refused by its name.

use cosmos_ttl_model::choices::Preferences;
use serde_json::{Value, json};

use crate::running::model;
use crate::signed::{Shop, check_refused, json};

/// Six items in two partitions, and one that has expired and is still stored.
fn shop() -> Shop {
    let shop = Shop::open(model(Preferences::default()), r#","defaultTtl":-1"#);
    shop.control("POST", "/removal?schedule=by-hand");
    for (id, partition, more) in [
        ("a", "p", r#""n":1,"s":"Anna","deep":{"x":{"y":7.50},"tags":["t","u"]}"#),
        ("b", "p", r#""n":2.0,"s":"Berta","deep":{"x":{"y":8}}"#),
        ("c", "q", r#""n":"2","s":"it's","value":true"#),
        ("d", "q", r#""n":null,"s":"anna","value":false"#),
        ("e", "q", r#""n":[1],"list":[1,"x",{"k":1}]"#),
        ("f", "q", r#""s":"Zoe""#),
        ("gone", "p", r#""n":1,"s":"Anna","ttl":1,"deep":{"x":{"y":7.50}}"#),
    ] {
        let key = format!(r#"["{partition}"]"#);
        let body = format!(r#"{{"id":"{id}","pk":"{partition}",{more}}}"#);
        let answer = shop.items("POST", "", &[("x-ms-documentdb-partitionkey", &key)], &body);
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    shop.control("POST", "/advance?seconds=1");
    shop
}

fn parameters() -> Value {
    json!([{ "name": "@one", "value": 1 }, { "name": "@two", "value": 2 }, { "name": "@name", "value": "Anna" }])
}

/// Returns all rows of a query, in pages of two.
fn rows(shop: &Shop, sql: &str) -> Value {
    let (mut rows, mut token) = (Vec::new(), String::new());
    loop {
        let headers = [("x-ms-max-item-count", "2"), ("x-ms-continuation", &*token)];
        let answer = shop.query_with(sql, &parameters(), &headers);
        assert_eq!(answer.status, 200, "{sql}: {}", answer.body);
        let page = json(&answer)["Documents"].as_array().unwrap().clone();
        assert!(page.len() <= 2, "{sql}: {page:?}");
        rows.extend(page);
        match answer.header("x-ms-continuation") {
            Some(more) => more.clone_into(&mut token),
            None => return Value::Array(rows),
        }
    }
}

#[track_caller]
fn check(shop: &Shop, sql: &str, expected: &str) {
    match expected.split_at_checked(3).filter(|(status, _)| status.parse::<u16>().is_ok()) {
        Some((status, says)) => {
            check_refused(&shop.query(sql, &[]), status.parse().unwrap(), says.trim());
        }
        None => assert_eq!(rows(shop, sql), serde_json::from_str::<Value>(expected).unwrap(), "{sql}"),
    }
}

/// The rows of a table: what is asked, and what is expected.
fn table(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(" -> ").unwrap())
}

#[test]
fn each_query_returns_its_rows_page_by_page_or_is_refused_by_name() {
    let shop = shop();
    for (sql, expected) in table(include_str!("queries.txt")) {
        check(&shop, sql, expected);
    }
    check_refused(&shop.query("", &[]), 400, "malformed: an end at byte 0");
    check_refused(&shop.query("SELECT 1", &[]), 501, "offered in queries are SELECT");
    let whole = rows(&shop, "SELECT VALUE c FROM c WHERE c.id = 'a'");
    assert_eq!(whole, rows(&shop, "SELECT * FROM c WHERE c.id = 'a'"));
    assert!(whole[0]["_etag"].is_string());
    assert!(shop.query("SELECT c.deep FROM c", &[]).body.contains(r#""y":7.50"#), "as it was written");
}

#[test]
fn a_sorted_query_goes_on_behind_its_last_row_though_that_is_gone() {
    let shop = shop();
    let page = |token: &str| {
        shop.query(
            "SELECT VALUE c.id FROM c ORDER BY c.id",
            &[("x-ms-max-item-count", "1"), ("x-ms-continuation", token)],
        )
    };
    let first = page("");
    shop.items("DELETE", "a", &[], "");
    let second = page(first.header("x-ms-continuation").unwrap());
    assert_eq!(
        (json(&first)["Documents"][0].as_str(), json(&second)["Documents"][0].as_str()),
        (Some("a"), Some("b"))
    );
    let token = second.header("x-ms-continuation").unwrap();
    check_refused(&shop.query("SELECT * FROM c", &[("x-ms-continuation", token)]), 400, "no token");
}

#[test]
fn a_query_of_any_size_is_answered_or_refused() {
    let shop = shop();
    let within = |inside: &str| format!("SELECT VALUE c.id FROM c WHERE {inside}");
    let nested = |depth: usize| within(&format!("{}c.n = 1{}", "(".repeat(depth), ")".repeat(depth)));
    check(&shop, &nested(60), r#"["a"]"#);
    check_refused(&shop.query(&nested(10_000), &[]), 400, "64 deep");
    check_refused(&shop.query(&within(&"(".repeat(10_000)), &[]), 400, "64 deep");
    check_refused(&shop.query(&within(&"IS_NULL(".repeat(10_000)), &[]), 400, "64 deep");
    check(&shop, &within(&format!("{}c.n = 1", "NOT ".repeat(10_000))), r#"["a"]"#);
    check(&shop, &within(&format!("c.id IN ({}'a')", "'x',".repeat(2_000))), r#"["a"]"#);
    check_refused(&shop.query(&within(&vec!["c.n = 1"; 5_000].join(" OR ")), &[]), 400, "4096 values");
    check_refused(&shop.query(&within(&" ".repeat(300_000)), &[]), 400, "262144 bytes");
    check(&shop, &within(&format!("c{} = 1", ".a".repeat(100_000))), "[]");
}

#[test]
fn a_client_that_asks_how_to_execute_a_query_sends_it_as_it_is() {
    let shop = shop();
    let headers = [("x-ms-cosmos-is-query-plan-request", "True")];
    let plan = json(&shop.query("SELECT VALUE c.id FROM c ORDER BY c.n", &headers));
    assert_eq!(plan["queryInfo"]["hasSelectValue"], true);
    assert_eq!(plan["queryInfo"]["orderBy"], json!([]));
    assert_eq!(plan["queryRanges"][0]["max"], "FF");
    check_refused(&shop.query("SELECT * FROM c GROUP BY c.n", &headers), 501, "`GROUP`");
}

#[test]
fn each_patch_makes_what_the_documents_say() {
    for (operations, expected) in table(include_str!("patches.txt")) {
        let shop = shop();
        let answer = shop.items("PATCH", "a", &[], &format!("[{operations}]"));
        if let Some(says) = expected.strip_prefix("400") {
            check_refused(&answer, 400, says.trim());
            continue;
        }
        assert_eq!(answer.status, 200, "{operations}: {}", answer.body);
        for as_written in ["10.0", "7.50"] {
            assert!(answer.body.contains(as_written) || !expected.contains(as_written), "{}", answer.body);
        }
        let (expected, got): (Value, Value) = (serde_json::from_str(expected).unwrap(), json(&answer));
        for (name, value) in expected.as_object().unwrap() {
            let value = if value == "-" { &Value::Null } else { value };
            assert_eq!(&got[name], value, "{operations}");
        }
    }
}

#[test]
fn a_patch_with_a_condition_is_done_only_if_that_is_true_of_the_item() {
    let shop = shop();
    let patch = |condition: &str| {
        let operations = json!([{ "op": "incr", "path": "/n", "value": 1 }]);
        shop.items(
            "PATCH",
            "a",
            &[],
            &json!({ "operations": operations, "condition": condition }).to_string(),
        )
    };
    assert_eq!(patch("FROM c WHERE c.n = 1 AND STARTSWITH(c.s, 'A')").status, 200);
    check_refused(&patch("FROM c WHERE c.n = 1"), 412, "`condition`");
    check_refused(&patch("from c where c.absent > 1"), 412, "`condition`");
    check_refused(&patch("FROM c WHERE UPPER(c.s) = 'A'"), 501, "UPPER");
    check_refused(&patch("SELECT * FROM c"), 400, "malformed: `SELECT`");
    let gone = r#"{"operations":[{"op":"incr","path":"/n","value":1}],"condition":"FROM c WHERE true"}"#;
    assert_eq!(shop.items("PATCH", "gone", &[], gone).status, 404);
}

#[test]
fn patches_of_a_batch_see_what_the_operations_before_them_did() {
    let shop = shop();
    let headers = [("x-ms-cosmos-is-batch-request", "True"), ("x-ms-cosmos-batch-atomic", "True")];
    let incr = |condition: &str| {
        format!(
            r#"{{"operationType":"Patch","id":"new","resourceBody":{{"condition":"{condition}","operations":[{{"op":"incr","path":"/data/n","value":1}}]}}}}"#
        )
    };
    let new = r#"{"operationType":"Create","resourceBody":{"id":"new","pk":"p","data":{"n":1}}}"#;
    let batch = |conditions: [&str; 2]| {
        let [first, second] = conditions.map(incr);
        let answer = shop.items("POST", "", &headers, &format!("[{new},{first},{second}]"));
        (answer.status, json(&answer))
    };
    let (status, results) = batch(["FROM c WHERE c.data.n = 1", "FROM c WHERE c.data.n = 1"]);
    assert_eq!((status, results[2]["statusCode"].as_u64()), (207, Some(412)));
    let (status, results) = batch(["FROM c WHERE c.data.n = 1", "FROM c WHERE c.data.n = 2"]);
    assert_eq!((status, &results[2]["resourceBody"]["data"]), (200, &json!({ "n": 3 })));
}
