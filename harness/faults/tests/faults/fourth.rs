//! The fourth set: every fault shows itself, and the correct store answers as the clauses say.

use std::collections::BTreeMap;

use cosmos_ttl_faults::fourth::{TimerStore, all_correct, all_faults};
use cosmos_ttl_faults::script::{Demonstration, ScriptScope, ScriptStep};
use cosmos_ttl_harness::etags::Condition;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Edition, Fault, Indexing, Operation, Removal, Request, Status, Target as _,
};

#[test]
fn the_correct_store_answers_as_the_table_says() {
    for fault in all_faults() {
        let script = Demonstration::parse(fault.shown_by).unwrap();
        let answers = script.play(&TimerStore::CORRECT, Some(Removal::Never)).unwrap();
        let expected = AgeTable::answers(&script);
        assert_eq!(answers.len(), expected.len(), "{}", fault.name);
        for (answer, expected) in answers.iter().zip(&expected) {
            assert!(expected.agrees(answer), "{}: {expected:?}, but {answer}", fault.name);
        }
    }
}

/// Changes of settings may bring an item back or not, and counts may be open: scripts with them are left out.
#[test]
fn every_correct_store_finds_the_same_items_under_every_schedule() {
    let open = ["set", "lazy", "patch", "count"];
    let is_closed = |script: &str| !open.iter().any(|word| script.contains(word));
    for store in all_correct() {
        for fault in all_faults().filter(|fault| is_closed(fault.shown_by)) {
            let script = Demonstration::parse(fault.shown_by).unwrap();
            if !store.store().about().editions.contains(&script.edition) {
                continue;
            }
            let expected = AgeTable::answers(&script);
            for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
                let answers = match script.play(&store.store(), Some(removal)) {
                    Ok(answers) => answers,
                    Err(Fault::Unsupported(_)) => continue,
                    Err(why) => panic!("{}: {why}", store.name),
                };
                let closed = answers.iter().zip(&expected).filter(|(_, expected)| expected.is_closed);
                for (answer, expected) in closed {
                    assert!(
                        answer.starts_with(&expected.text),
                        "{}: {}: {answer}",
                        store.name,
                        fault.shown_by
                    );
                }
            }
        }
    }
}

/// The beginning of an answer, and the `_ts` that it shows, counted from the first one.
#[derive(Debug)]
struct TableAnswer {
    text: String,
    ts: Option<i64>,
    /// Whether no clause leaves the answer open.
    is_closed: bool,
}

impl TableAnswer {
    fn agrees(&self, answer: &str) -> bool {
        let ts = self.ts.is_none_or(|ts| answer.contains(&format!("_ts Some({ts})")));
        answer.starts_with(&self.text) && ts
    }
}

/// An item of the table: its `ttl`, and the second of its last write.
#[derive(Clone, Copy, Debug)]
struct TableItem {
    ttl: Option<i64>,
    ts: i64,
}

/// The clauses as a table: an item is there as long as its age is below its lifetime.
#[derive(Clone, Debug, Default)]
struct AgeTable {
    now: i64,
    is_of_2020: bool,
    /// 0 is off.
    default: Option<i64>,
    items: BTreeMap<(String, String), TableItem>,
}

impl AgeTable {
    fn answers(script: &Demonstration) -> Vec<TableAnswer> {
        let mut table = Self { is_of_2020: script.edition == Edition::Y2020, ..Self::default() };
        let mut first = None;
        let mut answers = Vec::new();
        for step in &script.steps {
            let (scope, request, conditions) = match step {
                ScriptStep::Pass(seconds) => {
                    table.now = table.now.saturating_add_unsigned(*seconds);
                    continue;
                }
                ScriptStep::Purge => {
                    let before = table.clone();
                    table.items.retain(|_, item| before.lives(item));
                    continue;
                }
                ScriptStep::Send(request, conditions) => (ScriptScope::default(), request, conditions),
                ScriptStep::SendIn(scope, request, conditions) => (scope.clone(), request, conditions),
            };
            let mut answer = table.answer(&scope, request, conditions);
            answer.ts = answer.ts.map(|ts| ts.saturating_sub(*first.get_or_insert(ts)));
            answers.push(answer);
        }
        answers
    }

    fn lives(&self, item: &TableItem) -> bool {
        match (self.default.unwrap_or_default(), item.ttl) {
            (0, _) | (_, Some(-1)) | (-1, None) => true,
            (default, ttl) => self.now.saturating_sub(item.ts) < ttl.unwrap_or(default),
        }
    }

    fn answer(
        &mut self,
        scope: &ScriptScope,
        request: &Request,
        conditions: &[(usize, Condition)],
    ) -> TableAnswer {
        let partition = scope.partition.clone().unwrap_or_else(|| "p".into());
        let stale =
            |at: usize| conditions.iter().any(|(number, one)| *number == at && *one == Condition::Stale);
        let mut ts = None;
        let text = match request {
            Request::CreateContainer(container) if self.default.is_none() => match Self::setting(container) {
                Some(default) => {
                    self.default = Some(default);
                    "created".into()
                }
                None => "bad-request".into(),
            },
            Request::CreateContainer(_) => "conflict".into(),
            _ if self.default.is_none() => "not-found".into(),
            Request::ReplaceContainer(container) => match Self::setting(container) {
                Some(default) => {
                    self.default = Some(default);
                    "ok".into()
                }
                None => "bad-request".into(),
            },
            Request::Item(operation) => match self.apply(&partition, operation, stale(0)) {
                Ok(status) => {
                    ts = self.items.get(&(partition, operation.id().into())).map(|item| item.ts);
                    status.word().to_owned()
                }
                Err(status) => status.word().into(),
            },
            Request::Batch(operations) => {
                let before = self.clone();
                let mut done = Vec::new();
                let refused = operations.iter().enumerate().find_map(|(at, operation)| {
                    match self.apply(&partition, operation, stale(at)) {
                        Ok(status) => {
                            done.push(status);
                            None
                        }
                        Err(status) => Some(format!("{} at {at}", status.word())),
                    }
                });
                if refused.is_some() {
                    *self = before;
                }
                refused.unwrap_or_else(|| format!("ok {done:?}"))
            }
            Request::Query | Request::List | Request::Count if scope.page.is_some() => String::new(),
            Request::Query | Request::List | Request::Count => {
                let here = self.items.iter().filter(|(name, item)| name.0 == partition && self.lives(item));
                let ids: Vec<_> = here.map(|(name, _)| name.1.as_str()).collect();
                match request {
                    Request::Count => format!("ok {}", ids.len()),
                    _ => format!("ok {}", ids.join(" ")),
                }
            }
        };
        // The status of an upsert over an expired item is open, and so is the refusal of a conditional write to one.
        let upserts = request.operations().iter().any(|one| matches!(one, Operation::Upsert(_)));
        let is_closed = !upserts && conditions.is_empty();
        TableAnswer { text, ts, is_closed }
    }

    fn setting(container: &Container) -> Option<i64> {
        let default = match &container.default_ttl {
            None => 0,
            Some(literal) => allowed(literal.as_str())?,
        };
        (default == 0 || container.indexing != Indexing::None).then_some(default)
    }

    fn ttl(&self, literal: Option<&Literal>) -> Result<Option<i64>, Status> {
        match literal.map(Literal::as_str) {
            None => Ok(None),
            Some("null") if self.is_of_2020 => Ok(None),
            Some(text) => allowed(text).map(Some).ok_or(Status::BadRequest),
        }
    }

    fn apply(&mut self, partition: &str, operation: &Operation, is_stale: bool) -> Result<Status, Status> {
        let ttl = self.ttl(operation.ttl())?;
        let name = (partition.to_owned(), operation.id().to_owned());
        let item = self.items.get(&name).copied().filter(|item| self.lives(item));
        let existing = match item {
            None => Err(Status::NotFound),
            Some(_) if is_stale => Err(Status::PreconditionFailed),
            Some(item) => Ok(item),
        };
        let mut written = TableItem { ttl, ts: self.now };
        let status = match operation {
            Operation::Create(_) if item.is_some() => return Err(Status::Conflict),
            Operation::Upsert(_) if item.is_some() => Status::Ok,
            Operation::Create(_) | Operation::Upsert(_) => Status::Created,
            Operation::Replace(..) => existing.map(|_| Status::Ok)?,
            Operation::Patch(patch, _) => {
                let old = existing?;
                let is_touched = patch.set.contains_key("ttl") || patch.remove.contains(&"ttl".into());
                written.ttl = if is_touched { ttl } else { old.ttl };
                Status::Ok
            }
            Operation::Read(_) => return existing.map(|_| Status::Found),
            Operation::Delete(..) => {
                existing?;
                self.items.remove(&name);
                return Ok(Status::NoContent);
            }
        };
        self.items.insert(name, written);
        Ok(status)
    }
}

/// Returns the number, if it is allowed as a `ttl` or a `defaultTtl`.
fn allowed(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number| *number == -1 || (1..=2_147_483_647).contains(number))
}

/// A clock at its end must not end the program.
#[test]
fn no_store_overflows() {
    let script = "open 5; create a _ts=9223372036854775807; create b ttl=2147483647; in q create a ttl=2; +5; \
        read a; +4294967296; upsert a ttl=3; replace a _ts=-9223372036854775808; batch [upsert a | create b]; \
        +9223372036854775807; create a; replace a; patch a x=1 ttl=7; read a; query; query by 1; query rest; list; \
        count; set 9 lazy; set -1; purge; set 2147483647; upsert a; batch [replace a | create a]; read a; delete a";
    let script = Demonstration::parse(script).unwrap();
    for fault in all_faults() {
        for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
            assert!(script.play(&fault.store(), Some(removal)).is_ok(), "{}", fault.name);
        }
    }
    for store in all_correct() {
        let played = script.play(&store.store(), None);
        assert!(matches!(played, Ok(_) | Err(Fault::Unsupported(_))), "{}: {played:?}", store.name);
    }
}
