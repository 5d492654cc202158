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
    assert_eq!(rows(shop, sql), serde_json::from_str::<Value>(expected).unwrap(), "{sql}");
}

#[test]
fn each_filter_finds_the_items_of_which_it_is_true() {
    let shop = shop();
    for (filter, expected) in [
        ("true", r#"["a","b","c","d","e","f"]"#),
        ("c.n = 1", r#"["a"]"#),
        ("1.0 = c.n;", r#"["a"]"#),
        ("c[\"n\"] = @two AND c.pk = 'p'", r#"["b"]"#),
        ("c.n = '2'", r#"["c"]"#),
        ("c.n = null", r#"["d"]"#),
        ("c.absent = null", "[]"),
        ("c.absent != 1 OR NOT (c.absent = 1)", "[]"),
        ("c.n != 1", r#"["b"]"#),
        ("c.n <> 2", r#"["a"]"#),
        ("NOT c.n = 1", r#"["b"]"#),
        ("NOT NOT NOT c.n = 1", r#"["b"]"#),
        ("c.n < 2", r#"["a"]"#),
        ("c.n <= @two", r#"["a","b"]"#),
        ("c.n > 1", r#"["b"]"#),
        ("c.n >= -1e0", r#"["a","b"]"#),
        ("c.n > 'z' OR c.s >= 'Z'", r#"["c","d","f"]"#),
        ("c.n = 1 OR c.n = 2 AND c.pk = 'q'", r#"["a"]"#),
        ("(c.n = 1 OR c.n = 2) AND c.pk = 'p'", r#"["a","b"]"#),
        ("c.n IN (1, '2', null)", r#"["a","c","d"]"#),
        ("c.id IN ()", "[]"),
        ("c.n NOT IN (1)", r#"["b"]"#),
        ("c.n BETWEEN 1 AND 1.5", r#"["a"]"#),
        ("c.s NOT BETWEEN 'A' AND 'C'", r#"["c","d","f"]"#),
        ("c.deep.x.y = 7.5", r#"["a"]"#),
        ("c.deep[\"x\"]['y'] > 7", r#"["a","b"]"#),
        ("c.deep.tags[1] = 'u'", r#"["a"]"#),
        ("c.deep = {}", "501"),
        ("c.value", r#"["c"]"#),
        ("c.value != false", r#"["c"]"#),
        ("c.value < true", r#"["d"]"#),
        ("is_defined(c.n) AND NOT IS_NULL(c.n)", r#"["a","b","c","e"]"#),
        ("NOT IS_DEFINED(c.n)", r#"["f"]"#),
        ("STARTSWITH(c.s, 'An')", r#"["a"]"#),
        ("STARTSWITH(c.s, 'an', true)", r#"["a","d"]"#),
        ("ENDSWITH(c.s, 'ta')", r#"["b"]"#),
        ("CONTAINS(c.s, 'nn', false)", r#"["a","d"]"#),
        ("contains(c.s, @name, true)", r#"["a","d"]"#),
        ("ARRAY_CONTAINS(c.list, 'x')", r#"["e"]"#),
        ("c.s = 'it\\'s' OR c.s = \"\\u005aoe\"", r#"["c","f"]"#),
        ("c._ts > 0 AND c._etag != ''", r#"["a","b","c","d","e","f"]"#),
        ("c.n = undefined", "[]"),
    ] {
        let sql = format!("SELECT VALUE c.id FROM c WHERE {filter}");
        if expected == "501" {
            check_refused(&shop.query(&sql, &[]), 501, "\"{}\"");
        } else {
            check(&shop, &sql, expected);
        }
    }
}

#[test]
fn each_selection_order_and_limit_is_answered_page_by_page() {
    let shop = shop();
    for (sql, expected) in [
        ("select c.id from c where c.n = 1", r#"[{"id":"a"}]"#),
        (
            "SELECT r.id, r.deep.x.y AS y, r.absent, r.n > 1 FROM root AS r WHERE r.pk = 'p'",
            r#"[{"id":"a","y":7.5,"$4":false},{"id":"b","y":8,"$4":true}]"#,
        ),
        ("SELECT c.id name, c.deep.tags[0] FROM c WHERE c.n = @one", r#"[{"name":"a","tags":"t"}]"#),
        ("SELECT VALUE c.deep.x FROM c", r#"[{"y":7.5},{"y":8}]"#),
        ("SELECT VALUE 1 FROM c WHERE c.n = 1", "[1]"),
        ("SELECT TOP 3 VALUE c.id FROM c", r#"["a","b","c"]"#),
        ("SELECT TOP 0 * FROM c", "[]"),
        ("SELECT VALUE c.id FROM c OFFSET 1 LIMIT 3", r#"["b","c","d"]"#),
        ("SELECT VALUE c.id FROM c ORDER BY c.id DESC OFFSET @one LIMIT 1000", r#"["e","d","c","b","a"]"#),
        ("SELECT VALUE c.id FROM c ORDER BY c.n", r#"["f","d","a","b","c","e"]"#),
        ("SELECT VALUE c.id FROM c ORDER BY c.n DESC", r#"["e","c","b","a","d","f"]"#),
        ("SELECT TOP 4 VALUE c.id FROM c ORDER BY c.pk DESC, c.id ASC", r#"["c","d","e","f"]"#),
        ("SELECT DISTINCT VALUE c.pk FROM c", r#"["p","q"]"#),
        ("SELECT DISTINCT c.pk FROM c WHERE c.n = 1", r#"[{"pk":"p"}]"#),
        ("SELECT DISTINCT TOP 1 VALUE c.pk FROM c ORDER BY c.pk DESC", r#"["q"]"#),
        ("SELECT VALUE COUNT(1) FROM c", "[6]"),
        ("SELECT VALUE COUNT(c.n) FROM c WHERE c.pk = 'q'", "[3]"),
        ("SELECT COUNT(1) AS n FROM c WHERE c.n = 1", r#"[{"n":1}]"#),
        ("SELECT COUNT(1), MAX(c.id) AS last FROM c", r#"[{"$1":6,"last":"f"}]"#),
        ("SELECT VALUE SUM(c.n) FROM c WHERE c.pk = 'p'", "[3]"),
        ("SELECT VALUE AVG(c.n) FROM c WHERE c.pk = 'p'", "[1.5]"),
        ("SELECT VALUE MIN(c.s) FROM c", r#"["Anna"]"#),
        ("SELECT VALUE SUM(c.n) FROM c", "[]"),
    ] {
        check(&shop, sql, expected);
    }
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
fn what_a_query_asks_and_is_not_offered_is_a_501_that_names_it_and_what_is() {
    let shop = shop();
    for (sql, status, says) in [
        ("SELECT * FROM c JOIN t IN c.tags", 501, "`JOIN` at byte 16"),
        ("SELECT * FROM t IN c.tags", 501, "`IN`"),
        ("SELECT c.pk, COUNT(1) FROM c GROUP BY c.pk", 501, "the function \"COUNT\""),
        ("SELECT * FROM c GROUP BY c.pk", 501, "`GROUP`"),
        ("SELECT * FROM c WHERE c.s LIKE 'a%'", 501, "`LIKE`"),
        ("SELECT * FROM c WHERE EXISTS (SELECT VALUE 1)", 501, "\"EXISTS\""),
        ("SELECT * FROM c WHERE UPPER(c.s) = 'A'", 501, "the function \"UPPER\""),
        ("SELECT * FROM c WHERE udf.mine(c.s)", 501, "at byte 25"),
        ("SELECT * FROM c WHERE IS_NULL(c.s, 1)", 501, "\", 1)\""),
        ("SELECT * FROM c WHERE c.n + 1 = 2", 501, "\"+ 1 = 2\""),
        ("SELECT {\"a\": c.a} FROM c", 501, "at byte 7"),
        ("SELECT 1", 501, "an end"),
        ("SELECT * FROM c WHERE c.n = 'a", 501, "\"'a\" at byte 28"),
        ("SELECT * FROM c ORDER BY 1", 501, "at byte 25"),
        ("SELECT TOP -1 * FROM c", 501, "at byte 11"),
        ("DELETE FROM c", 501, "\"DELETE FROM c\""),
        ("", 501, "an end at byte 0"),
        ("SELECT * FROM c WHERE c.n = @n", 400, "`parameters`"),
        ("SELECT * FROM c WHERE d.n = 1", 400, "`c`, the name after FROM"),
    ] {
        let answer = shop.query(sql, &[]);
        check_refused(&answer, status, says);
        if status == 501 {
            check_refused(&answer, 501, "STARTSWITH");
        }
    }
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
    const NO_PLACE: &str = "400 leads to nothing";
    for (operations, expected) in [
        (r#"{"op":"set","path":"/n","value":5}"#, r#"{"n":5}"#),
        (r#"{"op":"add","path":"/new","value":null}"#, r#"{"new":null}"#),
        (r#"{"op":"replace","path":"/n","value":10.0}"#, r#"{"n":10.0}"#),
        (r#"{"op":"replace","path":"/absent","value":1}"#, NO_PLACE),
        (r#"{"op":"remove","path":"/s"}"#, r#"{"s":"-"}"#),
        (r#"{"op":"remove","path":"/absent"}"#, NO_PLACE),
        (r#"{"op":"remove","path":"/ttl"}"#, "400"),
        (r#"{"op":"incr","path":"/n","value":2}"#, r#"{"n":3}"#),
        (r#"{"op":"incr","path":"/n","value":-0.5}"#, r#"{"n":0.5}"#),
        (r#"{"op":"incr","path":"/new","value":2}"#, r#"{"new":2}"#),
        (r#"{"op":"incr","path":"/s","value":2}"#, "400 needs numbers"),
        (r#"{"op":"incr","path":"/n","value":"2"}"#, "400 must be a number"),
        (r#"{"op":"incr","path":"/ttl","value":0}"#, "400 `ttl` is 0"),
        (r#"{"op":"incr","path":"/ttl","value":9}"#, r#"{"ttl":9}"#),
        (
            r#"{"op":"set","path":"/deep/x/z","value":1}"#,
            r#"{"deep":{"x":{"y":7.50,"z":1},"tags":["t","u"]}}"#,
        ),
        (r#"{"op":"incr","path":"/deep/x/y","value":1}"#, r#"{"deep":{"x":{"y":8.5},"tags":["t","u"]}}"#),
        (r#"{"op":"remove","path":"/deep/x/y"}"#, r#"{"deep":{"x":{},"tags":["t","u"]}}"#),
        (r#"{"op":"remove","path":"/deep/x/z"}"#, NO_PLACE),
        (r#"{"op":"set","path":"/no/way","value":1}"#, NO_PLACE),
        (r#"{"op":"set","path":"/n/way","value":1}"#, NO_PLACE),
        (
            r#"{"op":"add","path":"/deep/tags/-","value":"v"}"#,
            r#"{"deep":{"x":{"y":7.50},"tags":["t","u","v"]}}"#,
        ),
        (
            r#"{"op":"add","path":"/deep/tags/0","value":"s"}"#,
            r#"{"deep":{"x":{"y":7.50},"tags":["s","t","u"]}}"#,
        ),
        (
            r#"{"op":"set","path":"/deep/tags/0","value":"s"}"#,
            r#"{"deep":{"x":{"y":7.50},"tags":["s","u"]}}"#,
        ),
        (r#"{"op":"remove","path":"/deep/tags/1"}"#, r#"{"deep":{"x":{"y":7.50},"tags":["t"]}}"#),
        (r#"{"op":"replace","path":"/deep/tags/2","value":1}"#, NO_PLACE),
        (r#"{"op":"move","from":"/deep/x/y","path":"/n"}"#, r#"{"n":7.50,"deep":{"x":{},"tags":["t","u"]}}"#),
        (r#"{"op":"move","from":"/deep","path":"/deep/x"}"#, "400 into itself"),
        (r#"{"op":"add","path":"/new","value":1},{"op":"remove","path":"/new"}"#, r#"{"n":1}"#),
        (r#"{"op":"set","path":"/pk","value":"q"}"#, "400 cannot change"),
        (r#"{"op":"move","from":"/id","path":"/n"}"#, "400 cannot change"),
        (r#"{"op":"set","path":"/n"}"#, "400 no `value`"),
        (r#"{"op":"turn","path":"/n"}"#, "400 `op` of a patch"),
        (r#"{"op":"set","path":"n","value":1}"#, "400 must begin with /"),
    ] {
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
    check_refused(&patch("SELECT * FROM c"), 501, "`SELECT`");
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
