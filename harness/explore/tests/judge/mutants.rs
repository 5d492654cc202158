//! Each mutant behind a log.

use std::io::Write;
use std::sync::{Arc, Mutex};

use cosmos_ttl_explore::judge::{JudgeOptions, Judgement, Model, judge};
use cosmos_ttl_harness::request_log::{LogWriter, LoggedTarget, RequestLog};
use cosmos_ttl_harness::run_virtual;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_testing::suite;

/// A log in memory.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Shared {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Every vector replayed, logged and judged.
fn judged(target: &dyn Target, is_sole_writer: bool) -> (String, Judgement) {
    let shared = Shared::default();
    let writer = LogWriter::new(shared.clone());
    run_virtual(&LoggedTarget::new(target, &writer), &suite().vectors.iter().collect::<Vec<_>>()).unwrap();
    let log = RequestLog::read(shared.text().as_bytes()).unwrap();
    let options = JudgeOptions { is_sole_writer, settings: None };
    (shared.text(), judge(&log, options, &Model))
}

#[test]
fn the_reference_is_right() {
    let reference = cosmos_ttl_explore::reference::Reference::default();
    for sole in [true, false] {
        let (text, judgement) = judged(&reference, sole);
        let lines: Vec<_> = text.lines().collect();
        for one in judgement.impossible.iter().take(10) {
            println!("{} {:?} {:?}\n   {}", one.line, one.says, one.clauses, lines[one.line - 1]);
        }
        println!("{} lines", judgement.lines.len());
        let mut counts = std::collections::BTreeMap::new();
        for v in judgement.lines.values() { *counts.entry(format!("{v:?}")).or_insert(0) += 1; }
        println!("{counts:?} {:?}", judgement.choices);
        assert!(judgement.impossible.is_empty());
    }
}

#[test]
fn mutants_are_found() {
    let mut missed = Vec::new();
    let (mut right, mut all) = (0, 0);
    for mutant in mutants() {
        let (_, judgement) = judged(&mutant.store(), true);
        all += 1;
        match judgement.impossible.first() {
            None => missed.push(mutant.name),
            Some(_) => {
                let cites = judgement.impossible.iter().any(|one| one.clauses.iter().any(|c| mutant.clauses.contains(c)));
                right += usize::from(cites);
                if !cites { println!("{}: {:?}: {:?}", mutant.name, mutant.clauses, judgement.impossible[0]); }
            }
        }
    }
    println!("{all} {right} missed {}: {missed:#?}", missed.len());
}
