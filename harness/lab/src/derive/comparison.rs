//! The graph that the checker walks and the machine of the complete suite, compared. They are computed independently: the
//! graph from all worlds that removal may leave, the machine from one world for each state.

use std::collections::BTreeSet;

use cosmos_ttl_checker::client::{Client, PossibleAnswers, View};
use cosmos_ttl_complete::{
    AllowedOutcome, ITEM as NAME, InputNumber, ItemState, Machine, MachineAnswer, StateNumber,
};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target;
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::container::{ItemId, Request, Response};
use cosmos_ttl_reference::Names;

use super::transitions;

const ITEM: ItemId = ItemId(0);

/// A state of the machine and an input there.
pub type CoveredInput = (StateNumber, InputNumber);

/// The machine as the image of the checker's graph.
#[derive(Clone, Debug)]
pub struct GraphComparison<'a> {
    client: &'a Client,
    machine: Machine,
}

impl<'a> GraphComparison<'a> {
    /// Compares this graph with the machine of the usual choices.
    pub fn new(client: &'a Client) -> Self {
        Self { client, machine: transitions::machine() }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the states that a view stands for: two if the item may be back or gone.
    ///
    /// # Errors
    ///
    /// A view whose state the machine does not have.
    pub fn states(&self, view: &View) -> Result<BTreeSet<StateNumber>, String> {
        let items = match view.known(ITEM) {
            ClientKnowledge::Absent => vec![None],
            ClientKnowledge::Living { ttl, age_s } | ClientKnowledge::Expired { ttl, age_s } => {
                vec![Some((ttl, age_s))]
            }
            ClientKnowledge::Open { ttl, age_s } => vec![None, Some((ttl, age_s))],
        };
        let number = |item| {
            let state = ItemState { default_ttl: view.default_ttl(), item };
            let known = self.machine.states().iter().zip(0..).find(|(known, _)| **known == state);
            known.map(|(_, number)| number).ok_or_else(|| format!("the machine has no state {state:?}"))
        };
        items.into_iter().map(number).collect()
    }

    /// Returns the input that sends this request; `None` lets a second pass.
    pub fn input(&self, request: Option<&Request>) -> Option<InputNumber> {
        let wanted = request.map(client_request);
        let mut inputs = self.machine.alphabet.inputs.iter().zip(0..);
        let found = inputs.find(|(input, _)| input.conditions.is_empty() && input.request == wanted);
        found.map(|(_, number)| number)
    }

    /// Returns the machine's transitions that one of the graph stands for.
    ///
    /// # Errors
    ///
    /// The machine does not answer as the graph does, or leads elsewhere.
    pub fn image(&self, view: &View, request: Option<&Request>) -> Result<BTreeSet<CoveredInput>, String> {
        let words = || format!("{request:?} under {:?} with {:?}", view.default_ttl(), view.known(ITEM));
        let input = self.input(request).ok_or_else(|| format!("the machine has no input {}", words()))?;
        let states = self.states(view)?;
        let mut made = BTreeSet::new();
        for state in &states {
            let Some(outcomes) = self.machine.outcomes(*state, input) else {
                return Err(format!("the machine has no transition for {}", words()));
            };
            made.extend(outcomes.iter().flat_map(edges));
        }
        if states.len() == 2 {
            made = self.joined(&made);
        }
        let expected = self.expected(view, request)?;
        if made == expected {
            Ok(states.into_iter().map(|state| (state, input)).collect())
        } else {
            Err(format!("{}: the machine leads to {made:?}, the graph to {expected:?}", words()))
        }
    }

    /// Leaves out the absence of an item that may also be expired: an expired item may have been removed.
    fn joined(&self, made: &BTreeSet<Edge>) -> BTreeSet<Edge> {
        let state = |number: StateNumber| self.machine.states().get(usize::from(number));
        let is_covered = |(answer, absent): &Edge| {
            made.iter().any(|(other, expired)| {
                let same_default =
                    state(*expired).map(|one| one.default_ttl) == state(*absent).map(|one| one.default_ttl);
                let is_absent = state(*absent).is_some_and(|one| one.item.is_none());
                let is_expired = state(*expired).is_some_and(|one| one.item.is_some())
                    && !self.machine.is_visible(*expired);
                answer == other && same_default && is_absent && is_expired
            })
        };
        made.iter().filter(|edge| !is_covered(edge)).cloned().collect()
    }

    /// Returns each answer that the graph allows with each state after it.
    fn expected(&self, view: &View, request: Option<&Request>) -> Result<BTreeSet<Edge>, String> {
        let Some(request) = request else {
            let after = self.states(&self.client.pass(view))?;
            return Ok(after.into_iter().map(|state| (None, state)).collect());
        };
        let answered: Vec<(Response, View)> = match self.client.ask(view, request) {
            PossibleAnswers::Sure(sure) => vec![sure],
            PossibleAnswers::Fate { back, gone, .. } => vec![back, gone],
            PossibleAnswers::Upsert { created, replaced, after } => {
                vec![(created, after.clone()), (replaced, after)]
            }
            PossibleAnswers::Tangled => return Err("one item has one fate".into()),
        };
        let mut all = BTreeSet::new();
        for (response, after) in answered {
            let answer = MachineAnswer::of(&response);
            all.extend(self.states(&after)?.into_iter().map(|state| (Some(answer.clone()), state)));
        }
        Ok(all)
    }
}

/// An answer, if there is one, and the state after it.
type Edge = (Option<MachineAnswer>, StateNumber);

fn edges(outcome: &AllowedOutcome) -> Vec<Edge> {
    let answers: Vec<Option<MachineAnswer>> = match outcome.answers.as_slice() {
        [] => vec![None],
        answers => answers.iter().cloned().map(Some).collect(),
    };
    let states = outcome.next.states();
    states.flat_map(|state| answers.iter().map(move |answer| (answer.clone(), state))).collect()
}

/// Returns a request as a client sends it about the item of the complete suite.
fn client_request(request: &Request) -> target::Request {
    let mut request = Names::of(&[NAME.into()]).client_request(request);
    if let target::Request::Item(target::Operation::Patch(patch, _)) = &mut request
        && patch.set.is_empty()
        && patch.remove.is_empty()
    {
        patch.set.insert("value".into(), Literal::from(1));
    }
    request
}
