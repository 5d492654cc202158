//! Vectors written as YAML.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Operation, Request, Status};
use cosmos_ttl_harness::vector::render::{self, VectorText, at, head, step};
use cosmos_ttl_harness::vector::{Details, Expect, ExpectedResponse, Step, embedded};

/// Every vector, written and loaded again, has the same steps.
#[test]
fn every_vector_can_be_written_and_loaded_again() {
    let suite = embedded().unwrap();
    for vector in &suite.vectors {
        let mut now_s = 0;
        let mut steps = Vec::new();
        for one in &vector.steps {
            if now_s != one.at_s {
                now_s = one.at_s;
                steps.push(at(now_s));
            }
            match render::whole_step(one) {
                Ok(text) => steps.push(text),
                Err(why) => panic!("{}: {why}", vector.name),
            }
        }
        let clauses: Vec<&str> = vector.clauses.iter().map(String::as_str).collect();
        let (_, id) = vector.name.split_once('/').unwrap();
        let text = render::vector(&VectorText { id, title: &vector.title, clauses: &clauses, steps: &steps });
        let file = format!("{}{}\n", head("schema.json", "", &vector.section), text.join("\n"));
        let again = suite.read_file(&format!("{}.yaml", vector.section), file).unwrap();
        let [again] = again.as_slice() else { panic!("{}: {}", vector.name, again.len()) };
        assert_eq!((&again.title, &again.clauses), (&vector.title, &vector.clauses));
        let meaning = |one: &Step| {
            let options = (one.partition.clone(), one.pages);
            (one.at_s, one.request.clone(), options, one.conditions.clone(), one.expect.clone())
        };
        let (again, before) = (again.steps.iter().map(meaning), vector.steps.iter().map(meaning));
        assert!(again.eq(before), "{}:\n{}", vector.name, text.join("\n"));
    }
}

#[test]
fn ids_follow_the_given_order() {
    let expect = Expect::One(ExpectedResponse::Ids(["witness", "b", "a"].map(String::from).into()));
    let written = |order: &[&str]| step(&Request::Query, &[], &expect, order).unwrap();
    assert_eq!(written(&[]), "- query: {expect: [a, b, witness]}");
    assert_eq!(written(&["c", "b"]), "- query: {expect: [b, a, witness]}");
}

#[test]
fn what_yaml_would_read_otherwise_is_quoted() {
    let ttl = |text: &str| [("ttl".to_owned(), Literal::parse(text).unwrap())].into();
    let create = |id: &str, text: &str| {
        Request::Item(Operation::Create(Document { id: id.into(), properties: ttl(text) }))
    };
    let expect = Expect::One(ExpectedResponse::Status(Status::Created, Details::default()));
    let written = |request: &Request| step(request, &[], &expect, &[]).unwrap();
    assert_eq!(written(&create("a", "-1")), "- create: {id: a, ttl: -1, expect: created}");
    assert_eq!(written(&create("no", "1.0")), "- create: {id: \"no\", ttl-json: \"1.0\", expect: created}");
    assert_eq!(written(&create("0", "null")), "- create: {id: \"0\", ttl: null, expect: created}");
    let title = |title: &str| {
        let lines = render::vector(&VectorText { id: "a", title, clauses: &[], steps: &[] });
        lines.into_iter().nth(1).unwrap()
    };
    for (text, written) in [
        ("An item's `ttl` in [a], read", "An item's `ttl` in [a], read"),
        ("a: b's", "\"a: b's\""),
        ("`ttl` is read", "\"`ttl` is read\""),
        ("true", "\"true\""),
        ("a #b", "\"a #b\""),
        ("a\nb", "\"a\\nb\""),
        ("ends in a blank ", "\"ends in a blank \""),
    ] {
        assert_eq!(title(text), format!("  title: {written}"));
    }
}

#[test]
fn what_the_format_cannot_say_is_refused() {
    let status = Expect::One(ExpectedResponse::Status(Status::NotFound, Details::default()));
    let why = step(&Request::Query, &[], &status, &[]).unwrap_err().to_string();
    assert!(why.contains("no word for what a query"), "{why}");
    let properties = [("value".to_owned(), Literal::parse("1.5").unwrap())].into();
    let create = Request::Item(Operation::Create(Document { id: "a".into(), properties }));
    let why = step(&create, &[], &status, &[]).unwrap_err().to_string();
    assert!(why.contains("only whole numbers"), "{why}");
}
