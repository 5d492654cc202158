//! `vectors/DOCUMENTS.md` against the clauses, the vectors and the evidence.

use std::collections::BTreeSet;

use cosmos_ttl_harness::vector::{SourceDocument, Suite};

use cosmos_ttl_testing::{GOOD, scratch, suite};

const PAGE: &str = include_str!("../../../vectors/DOCUMENTS.md");

/// A line of the page: the documents that say it, and the ids that it names.
struct PageRow {
    documents: Vec<String>,
    ids: Vec<String>,
    text: String,
}

fn words_between_ticks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_document(word: &str) -> bool {
    word.len() == 5 && word.starts_with("D20")
}

/// The rows under the headings that name documents.
fn rows() -> Vec<PageRow> {
    let mut rows = Vec::new();
    for section in PAGE.split("\n## ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap();
        let documents: Vec<&str> = title.split(' ').filter(|word| is_document(word)).collect();
        if documents.is_empty() {
            continue;
        }
        for line in body.lines().filter_map(|line| line.strip_prefix("- ")) {
            let (said, ids) = line.split_once(" → ").unwrap();
            let only = said.split_once(": ").map(|(only, _)| only.split(' ').collect::<Vec<_>>());
            let only = only.filter(|only| only.iter().all(|word| is_document(word)));
            let documents = only.unwrap_or_else(|| documents.clone()).into_iter().map(String::from).collect();
            let ids = words_between_ticks(ids).map(String::from).collect();
            rows.push(PageRow { documents, ids, text: line.into() });
        }
    }
    assert!(rows.len() > 50, "{} rows", rows.len());
    rows
}

fn documents_of(suite: &Suite, id: &str) -> Option<BTreeSet<String>> {
    let spelled = |document: &SourceDocument| format!("{document:?}");
    if let Some(vector) = suite.get(id) {
        return Some(vector.documents.iter().map(spelled).collect());
    }
    let clause = suite.catalogue.get(id)?;
    Some(clause.sources.iter().filter(|source| is_document(source)).cloned().collect())
}

#[test]
fn every_row_names_clauses_and_vectors_that_cite_its_documents() {
    let suite = suite();
    let mut wrong = Vec::new();
    for row in rows() {
        assert!(!row.ids.is_empty() || row.text.contains("*not normative*"), "{}", row.text);
        for id in &row.ids {
            match documents_of(suite, id) {
                None => wrong.push(format!("`{id}` is neither a clause nor a vector: {}", row.text)),
                Some(documents) => {
                    let missing = row.documents.iter().filter(|document| !documents.contains(*document));
                    wrong.extend(
                        missing.map(|document| format!("`{id}` does not cite {document}: {}", row.text)),
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_document_that_a_clause_or_vector_cites_has_a_row_that_names_it() {
    let suite = suite();
    let rows = rows();
    let clauses = suite.catalogue.clauses().map(|clause| &clause.id);
    let mut wrong = Vec::new();
    for id in clauses.chain(suite.vectors.iter().map(|vector| &vector.name)) {
        for document in documents_of(suite, id).unwrap() {
            let named = rows.iter().any(|row| row.documents.contains(&document) && row.ids.contains(id));
            if !named {
                wrong.push(format!("`{id}` cites {document}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_contradiction_of_the_evidence_has_its_row() {
    let (_, table) = PAGE.split_once("\n## Contradictions\n").unwrap();
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("- C-")).collect();
    assert_eq!(rows.len(), 30);
    for (row, number) in rows.iter().zip(1..) {
        assert!(row.starts_with(&format!("{number}: ")), "{row}");
    }
    for finding in suite().evidence.findings.iter().filter(|finding| finding.id.starts_with("C-")) {
        assert!(table.contains(&format!("\n- {}: ", finding.id)), "{}", finding.id);
    }
}

/// Returns the error about these two files, the good ones with a change each.
fn refused(clauses: (&str, &str), evidence: (&str, &str)) -> String {
    let change = |text: &str, (from, to): (&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let [clauses, evidence] =
        [(GOOD[0], clauses), (GOOD[2], evidence)].map(|((_, text), changed)| change(text, changed));
    let files = [(GOOD[0].0, clauses.as_bytes()), (GOOD[2].0, evidence.as_bytes())];
    Suite::load(&scratch("evidence", &files)).unwrap_err().to_string()
}

#[test]
fn evidence_that_is_unknown_unused_or_doubled_is_refused() {
    let same = ("format: 1", "format: 1");
    let none = "documents:\n";
    let cases = [
        (("[D2]", "[D3]"), same, "the source `D3` is neither a document nor a finding"),
        (("[D2]", "[D1]"), same, "nothing cites `D2`"),
        (same, ("id: D2", "id: D1"), "the id `D1` is used twice"),
    ];
    for (clauses, evidence, expected) in cases {
        let said = refused(clauses, evidence);
        assert!(said.contains(expected), "{said}");
    }
    let findings = [
        ("id: S-1, kind: observed, at: [D9], finding: It was seen.", "`D9` is not in this file"),
        ("id: S-1, kind: observed, at: [D1], finding: It was seen.", "nothing cites `S-1`"),
        (
            "id: C-1, kind: contradictory, at: [D1], finding: They differ.",
            "the finding `C-1` has the wrong fields",
        ),
        (
            "id: X-1, kind: observed, at: [D1], finding: It was seen.",
            "the finding `X-1` has an unknown kind of id",
        ),
    ];
    for (fields, expected) in findings {
        let said = refused(same, (none, &format!("findings: [{{{fields}}}]\n{none}")));
        assert!(said.contains(expected), "{said}");
    }
}
