//! Tables, loops and ranges in files of vectors: what they stand for, and where a wrong one is refused.

use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_testing::{GOOD, scratch};

/// Loads these entries of `vectors`, which cite clauses of the good catalogue.
fn load(entries: &str) -> Result<Vec<Vector>, String> {
    let text = format!("format: 1\nsection: lifetime\nvectors:\n{entries}");
    let directory = scratch("tables", &[(GOOD[1].0, text.as_bytes())]);
    let file = format!("{}:", directory.join(GOOD[1].0).display());
    Suite::load(&directory).map(|suite| suite.vectors).map_err(|flaw| flaw.to_string().replacen(&file, "", 1))
}

const TABLE: &str = r#"- id: "{ttl}-by-{write}"
  title: "A ttl of {words} {verb}"
  clauses: [own, $more]
  rows:
    ttl:
      one: {words: one second, default: 9, items: [{id: a}], gone: [a]}
      none: {words: nothing, items: [], more: [maybe]}
    write:
      create: {verb: is created, before: [{create: {id: w, $fields, expect: created}}], fields: {ttl: -1}}
      upsert: {verb: is upserted, before: [{upsert: {id: w, ttl: -1, expect: created}}]}
  except: [none-by-upsert]
  steps:
  - create-container: {defaultTtl: $default, expect: created}
  - $before
  - each: {id: [i08..i10, a]}
    steps:
    - create: {id: $id, ttl: 1, expect: created}
  - list: {expect: [i08..i10, a, w]}
  - at: 1
  - each: {id: $gone}
    steps:
    - read: {id: $id, expect: not-found}
  - read: {id: w, expect: found}
"#;

#[test]
fn a_table_stands_for_a_vector_for_each_combination_of_its_rows() {
    let vectors = load(TABLE).unwrap();
    let told: Vec<_> = vectors.iter().map(|one| (one.name.as_str(), one.title.as_str(), one.line)).collect();
    let expected = [
        ("lifetime/one-by-create", "A ttl of one second is created", 9),
        ("lifetime/one-by-upsert", "A ttl of one second is upserted", 9),
        ("lifetime/none-by-create", "A ttl of nothing is created", 10),
    ];
    assert_eq!(told, expected);
    assert_eq!(vectors[0].clauses, ["own"]);
    assert_eq!(vectors[2].clauses, ["own", "maybe"]);
    let json = vectors[0].json().unwrap().get();
    let steps = r#""steps":[{"create-container":{"defaultTtl":9,"expect":"created"}},{"create":{"id":"w","ttl":-1,"expect":"created"}},{"create":{"id":"i08","ttl":1,"expect":"created"}},{"create":{"id":"i09","ttl":1,"expect":"created"}},{"create":{"id":"i10","ttl":1,"expect":"created"}},{"create":{"id":"a","ttl":1,"expect":"created"}},{"list":{"expect":["i08","i09","i10","a","w"]}},{"at":1},{"read":{"id":"a","expect":"not-found"}},{"read":{"id":"w","expect":"found"}}]"#;
    assert!(json.contains(steps), "{json}");
    assert!(vectors[2].json().unwrap().get().contains(r#"{"create-container":{"expect":"created"}}"#));
    let lines: Vec<_> = vectors[0].steps.iter().map(|step| step.line).collect();
    assert_eq!(lines, [16, 12, 20, 20, 20, 20, 21, 25, 26]);
}

#[test]
fn a_table_that_stands_for_nothing_is_refused_at_its_place() {
    for (from, to, said) in [
        ("$before", "$befor", "17:5: `$befor` has no value"),
        (
            "none: {words: nothing, items: [], more: [maybe]}",
            "none: 1",
            "9:7: `ttl` has no rows, or one that is no map",
        ),
        ("{id: $gone}", "{id: $gone, x: [b]}", "23:5: this is no loop"),
        ("none-by-upsert", "none-by-patch", "14:12: `none-by-patch` is no vector of this table"),
        ("fields: {ttl: -1}", "fields: -1", "12:60: `$fields` is no map of fields"),
        ("words: nothing", "words: [nothing]", "5:10: `{words}` is no text"),
        ("{verb: is created,", "{verb: $verb,", "12:22: this stands for too much"),
        ("i08..i10, a]}", "i0000000..i9999999, a]}", "18:17: this stands for too much"),
        ("gone: [a]", "gone: [$gone]", "9:69: this stands for too much"),
        ("fields: {ttl: -1}", "fields: {$fields}", "12:98: this stands for too much"),
        ("- read: {id: w, expect: found}", "- read: {id: w, expect: gone}", "26:27: unknown word `gone`"),
    ] {
        assert!(TABLE.contains(from), "{from}");
        let flaw = load(&TABLE.replacen(from, to, 1)).unwrap_err();
        assert!(flaw.lines().any(|line| line.starts_with(said)), "{to}\n{flaw}");
    }
}
