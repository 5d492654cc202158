//! Writes requests as a vector: the expectations are those of exploration's writer, from the model and every hidden
//! state that may be.

use cosmos_ttl_explore::write::{AnnotatedScript, Focus, WITNESS, annotated};
use cosmos_ttl_explore::{Action, Call, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Document, Edition, Operation, Request};
use cosmos_ttl_harness::vector::Condition;

/// The clause of level should that says that a patch restarts the count.
const PATCH_RESTARTS: &str = "patch-restarts-count";

/// A script of requests, each with what is in question of its answer.
#[derive(Clone, Debug)]
pub(super) struct ScriptBuilder {
    edition: Edition,
    container: Container,
    creation: Focus,
    actions: Vec<(Action, Focus)>,
}

impl ScriptBuilder {
    /// A new container with a witness.
    pub(super) fn new(container: Container) -> Self {
        Self::in_edition(Edition::default(), container)
    }

    /// A new container with a witness, in an edition.
    pub(super) fn in_edition(edition: Edition, container: Container) -> Self {
        let mut builder = Self { edition, container, creation: Focus::Way, actions: Vec::new() };
        builder.create_witness();
        builder
    }

    /// A container whose creation is in question, without a witness.
    pub(super) fn of_creation(container: Container) -> Self {
        Self { edition: Edition::default(), container, creation: Focus::Answer, actions: Vec::new() }
    }

    /// Creates an item that lives forever.
    pub(super) fn create_witness(&mut self) {
        let properties = [("ttl".to_owned(), Literal::from(-1))].into();
        let create = Operation::Create(Document { id: WITNESS.into(), properties });
        self.ask(Focus::Way, Request::Item(create), Vec::new());
    }

    /// Lets a second pass.
    pub(super) fn pass(&mut self) {
        self.actions.push((Action::Wait(1), Focus::Way));
    }

    /// Sends a request with these etags.
    pub(super) fn ask(&mut self, focus: Focus, request: Request, conditions: Vec<(usize, Condition)>) {
        self.actions.push((Action::Call(Call { request, conditions }), focus));
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
        let actions = self.actions.iter().map(|(action, _)| action.clone()).collect();
        let script = Script { edition, container: self.container.clone(), actions };
        let of = |at: usize| self.actions.get(at).map_or(Focus::Way, |(_, focus)| *focus);
        annotated(&script, &|number| number.checked_sub(1).map_or(self.creation, of))
    }

    /// Returns the edition of the vector; `None` if the other one demands the same as these steps.
    pub(super) fn edition(&self, steps: &[String]) -> Option<&'static str> {
        let is_null = |one: &Operation| one.ttl().is_some_and(|ttl| ttl.kind() == LiteralKind::Null);
        let sends_null = |(action, _): &(Action, Focus)| match action {
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
        let is_same = self.annotated_in(other).is_ok_and(|other| other.steps == steps);
        (!is_same).then_some(own)
    }

    /// Returns this script without what depends on whether a patch restarts the count, which is of level must, and whether
    /// that leaves something out.
    ///
    /// # Errors
    ///
    /// Why no vector can say it.
    pub(super) fn musts(mut self) -> Result<(AnnotatedScript, bool), String> {
        let whole = self.annotated()?;
        if whole.patched.is_empty() {
            return Ok((without_patches(whole), false));
        }
        for number in whole.patched {
            if let Some((_, focus @ Focus::Details)) = self.actions.get_mut(number.saturating_sub(1)) {
                *focus = Focus::Properties;
            }
        }
        let patched = self.annotated()?.patched;
        let mut number = 0;
        self.actions.retain(|_| {
            number += 1;
            !patched.contains(&number)
        });
        Ok((without_patches(self.annotated()?), true))
    }
}

fn without_patches(mut script: AnnotatedScript) -> AnnotatedScript {
    script.clauses.remove(PATCH_RESTARTS);
    script
}
