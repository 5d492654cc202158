//! Writes requests as a vector: the expectations are those of exploration's writer, from the model and every hidden
//! state that may be.

use std::collections::BTreeSet;

use cosmos_ttl_explore::write::{AnnotatedScript, AnnotatedStep, Focus, WITNESS, annotated};
use cosmos_ttl_explore::{Action, Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Document, Edition, Operation, PartitionKey, Request};
use cosmos_ttl_harness::vector::{Condition, Pages, Step, render};

/// The clause of level should that says that a patch restarts the count.
const PATCH_RESTARTS: &str = "patch-restarts-count";
/// The clause of level should that says that an upsert over an expired item makes a new one.
const UPSERT_CREATES: &str = "expired-upsert-creates";

/// A script of requests, each with what is in question of its answer.
#[derive(Clone, Debug)]
pub(super) struct ScriptBuilder {
    edition: Edition,
    container: Container,
    creation: Focus,
    actions: Vec<BuiltAction>,
}

/// An action in a script.
#[derive(Clone, Debug)]
struct BuiltAction {
    /// The partition of its items; `None` is the default one.
    partition: Option<PartitionKey>,
    /// The pages that a query or a list asks for; `None` is all items at once.
    pages: Option<Pages>,
    action: Action,
    focus: Focus,
}

impl BuiltAction {
    /// Whether it is about all partitions.
    fn is_shared(&self) -> bool {
        match &self.action {
            Action::Call(call) => call.request.container().is_some(),
            Action::Wait(_) => true,
        }
    }

    /// Asks for less of the answer; returns `false` if there is nothing less to ask for.
    fn asks_less(&mut self) -> bool {
        let less = match self.focus {
            Focus::Details => Focus::Properties,
            Focus::Answer if self.is_shared() => Focus::Way,
            Focus::Way | Focus::Answer | Focus::Properties => return false,
        };
        self.focus = less;
        true
    }
}

impl ScriptBuilder {
    /// A new container with a witness.
    pub(super) fn new(container: Container) -> Self {
        Self::in_edition(Edition::default(), container)
    }

    /// A new container with a witness, in an edition.
    pub(super) fn in_edition(edition: Edition, container: Container) -> Self {
        let mut builder = Self { edition, ..Self::empty(container) };
        builder.create_witness();
        builder
    }

    /// A new container without a witness.
    pub(super) fn empty(container: Container) -> Self {
        Self { edition: Edition::default(), container, creation: Focus::Way, actions: Vec::new() }
    }

    /// A container whose creation is in question, without a witness.
    pub(super) fn of_creation(container: Container) -> Self {
        Self { edition: Edition::default(), container, creation: Focus::Answer, actions: Vec::new() }
    }

    /// Returns a part of this script, which is not in it yet.
    pub(super) fn part(&self, requests: impl FnOnce(&mut Self)) -> Self {
        let mut part = Self::empty(self.container.clone());
        requests(&mut part);
        part
    }

    /// Adds these parts in order, but for each that no vector can say after those before it.
    pub(super) fn extend_by_what_can_be_said(&mut self, mut parts: &[Self]) {
        while !parts.is_empty() {
            // A script that a vector can say begins with one that a vector can say.
            let (mut said, mut unsaid) = (0, parts.len() + 1);
            let mut tried = parts.len();
            while said + 1 < unsaid {
                if self.with(parts, tried).musts().is_ok() {
                    said = tried;
                } else {
                    unsaid = tried;
                }
                tried = said.midpoint(unsaid);
            }
            *self = self.with(parts, said);
            parts = parts.get(unsaid..).unwrap_or_default();
        }
    }

    /// Returns this script with the first of these parts.
    fn with(&self, parts: &[Self], count: usize) -> Self {
        let mut longer = self.clone();
        longer.actions.extend(parts.iter().take(count).flat_map(|part| part.actions.iter().cloned()));
        longer
    }

    /// Creates an item that lives forever.
    pub(super) fn create_witness(&mut self) {
        self.create_forever(None, WITNESS);
    }

    /// Creates an item that lives forever in a partition.
    pub(super) fn create_forever(&mut self, partition: Option<&PartitionKey>, id: &str) {
        let properties = [("ttl".to_owned(), Literal::from(-1))].into();
        let create = Operation::Create(Document { id: id.into(), properties });
        self.ask_in(partition, Focus::Way, Request::Item(create), Vec::new());
    }

    /// Lets a second pass.
    pub(super) fn pass(&mut self) {
        self.pass_s(1);
    }

    /// Lets seconds pass, at least one.
    pub(super) fn pass_s(&mut self, seconds: u64) {
        let action = Action::Wait(seconds);
        self.actions.push(BuiltAction { partition: None, pages: None, action, focus: Focus::Way });
    }

    /// Sends a request with these etags.
    pub(super) fn ask(&mut self, focus: Focus, request: Request, conditions: Vec<(usize, Condition)>) {
        self.ask_in(None, focus, request, conditions);
    }

    /// Sends a request with these etags in a partition; `None` is the default one.
    pub(super) fn ask_in(
        &mut self,
        partition: Option<&PartitionKey>,
        focus: Focus,
        request: Request,
        conditions: Vec<(usize, Condition)>,
    ) {
        let action = Action::Call(Call { request, conditions });
        self.actions.push(BuiltAction { partition: partition.cloned(), pages: None, action, focus });
    }

    /// Asks for pages of a query or a list. The expectation is that of a request for all items, so for later pages it is of
    /// level must only if all items are gone since the first page, or none.
    pub(super) fn ask_page(&mut self, partition: Option<&PartitionKey>, request: Request, pages: Pages) {
        self.ask_in(partition, Focus::Answer, request, Vec::new());
        if let Some(last) = self.actions.last_mut() {
            last.pages = Some(pages);
        }
    }

    /// Returns the steps and their clauses.
    ///
    /// # Errors
    ///
    /// Why no vector can say it.
    pub(super) fn annotated(&self) -> Result<AnnotatedScript, String> {
        self.annotated_in(self.edition)
    }

    fn annotated_in(&self, edition: Edition) -> Result<AnnotatedScript, String> {
        let others = self.actions.iter().filter_map(|one| one.partition.as_ref());
        let others: BTreeSet<&PartitionKey> = others.collect();
        let mut whole = self.annotated_partition(edition, None)?;
        for partition in others {
            let AnnotatedScript { steps, clauses, patched } =
                self.annotated_partition(edition, Some(partition))?;
            let is_own = |one: &AnnotatedStep| one.step.partition.is_some();
            whole.steps.extend(steps.into_iter().filter(is_own));
            whole.clauses.extend(clauses);
            whole.patched.extend(patched);
        }
        whole.steps.sort_by_key(|one| one.number);
        Ok(whole)
    }

    /// Annotates what is asked of one partition and of the container: the items of one partition do not depend on those of
    /// another one (`identity-is-partition-and-id`).
    fn annotated_partition(
        &self,
        edition: Edition,
        partition: Option<&PartitionKey>,
    ) -> Result<AnnotatedScript, String> {
        let own: Vec<(usize, &BuiltAction)> = (1..)
            .zip(&self.actions)
            .filter(|(_, one)| one.is_shared() || one.partition.as_ref() == partition)
            .collect();
        let actions = own.iter().map(|(_, one)| one.action.clone()).collect();
        let script = Script { edition, container: self.container.clone(), actions };
        let of = |at: usize| own.get(at).map_or(Focus::Way, |(_, one)| one.focus);
        let AnnotatedScript { mut steps, clauses, patched } =
            annotated(&script, &|number| number.checked_sub(1).map_or(self.creation, of))?;
        let built = |number: usize| number.checked_sub(1).and_then(|at| own.get(at));
        let whole_number = |number: usize| built(number).map_or(0, |(number, _)| *number);
        for AnnotatedStep { number, step } in &mut steps {
            step.pages = built(*number).and_then(|(_, one)| one.pages);
            *number = whole_number(*number);
            if step.request.container().is_none() {
                step.partition = partition.cloned();
            }
        }
        Ok(AnnotatedScript { steps, clauses, patched: patched.into_iter().map(whole_number).collect() })
    }

    /// Returns the edition of the vector; `None` if the other one demands the same as these steps.
    pub(super) fn edition(&self, steps: &[AnnotatedStep]) -> Option<&'static str> {
        let is_null = |one: &Operation| one.ttl().is_some_and(|ttl| ttl.kind() == LiteralKind::Null);
        let sends_null = |built: &BuiltAction| match &built.action {
            Action::Call(call) => call.request.operations().iter().any(is_null),
            Action::Wait(_) => false,
        };
        // The editions differ in nothing but what null means.
        if !self.actions.iter().any(sends_null) {
            return None;
        }
        let (other, own) = match self.edition {
            Edition::Y2020 => (Edition::Y2024, "2020"),
            Edition::Y2024 => (Edition::Y2020, "2024"),
        };
        let expects = |one: &AnnotatedStep| one.step.expect.clone();
        let is_same = self
            .annotated_in(other)
            .is_ok_and(|other| other.steps.iter().map(expects).eq(steps.iter().map(expects)));
        (!is_same).then_some(own)
    }

    /// Returns what is of level must of this script, without what depends on whether a patch restarts the count, and whether
    /// that leaves something out.
    ///
    /// # Errors
    ///
    /// Why no vector can say it.
    pub(super) fn musts(mut self) -> Result<(AnnotatedScript, bool), String> {
        let mut whole = self.annotated()?;
        let leaves_out = !whole.patched.is_empty();
        // Without one request another one may depend on a patch.
        while !whole.patched.is_empty() {
            let mut number = 0;
            self.actions.retain_mut(|built| {
                number += 1;
                !whole.patched.contains(&number) || built.asks_less()
            });
            whole = self.annotated()?;
        }
        whole.clauses.remove(PATCH_RESTARTS);
        // The status is open, and nothing else shows whether the item is a new one.
        whole.clauses.remove(UPSERT_CREATES);
        Ok((whole, leaves_out))
    }
}

/// The steps of a vector as text.
#[derive(Clone, Debug)]
pub(super) struct StepLines {
    pub(super) lines: Vec<String>,
    /// The clauses that each request shows, and whether it changes nothing.
    pub(super) shows: Vec<(Vec<String>, bool)>,
}

/// Returns the lines of a script.
///
/// # Errors
///
/// Why the format cannot say them.
pub(super) fn lines(script: &AnnotatedScript) -> Result<StepLines, String> {
    let steps: Vec<Step> = script.steps.iter().map(|one| one.step.clone()).collect();
    let lines = render::timed_steps(&steps).map_err(|why| why.to_string())?;
    let is_look = |request: &Request| match request {
        Request::Query | Request::List | Request::Count => true,
        Request::CreateContainer(_) | Request::ReplaceContainer(_) => false,
        request => !request.operations().iter().any(Operation::is_write),
    };
    let shown = |step: Step| (step.shows, is_look(&step.request));
    Ok(StepLines { lines, shows: steps.into_iter().map(shown).collect() })
}
