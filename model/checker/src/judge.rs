//! stateright judges: a system as its model, and the shortest story of each property.
//!
//! A state of stateright is either *at* a world or has just *taken* a step from one; the only way on from there is to the
//! world after the step, shifted and capped. So every step is judged once, and most of what can be said about time to
//! live is said of a request and its answer. Each statement is a property of stateright on that state, and whether it
//! holds is what stateright discovers.
//!
//! stateright 0.31 overwrites a discovery with each later one. On one thread it visits states in the order of their
//! distance, so the first visited step that breaks an *always* or shows a *sometimes* ends a shortest path.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{Request, SettingsDraft, World};
use stateright::{Checker as _, HasDiscoveries, Model, Property, StateRecorder};

use crate::report::{CheckedModel, CheckedProperty, PropertyKind, PropertyResult, Trace};
use crate::semantics::Semantics;
use crate::statement::{Section, property, sentences};
use crate::story::container;
use crate::system::{ModelAction, Node, Outcome, Step, System, draft_of};
use crate::world::{canonical, describe};

/// At a world, or having just taken a step from one.
#[derive(Clone)]
pub(crate) enum State<S: System> {
    At(Arc<Node<S>>),
    Took(Arc<Step<S>>),
}

impl<S: System> State<S> {
    pub(crate) fn step(&self) -> Option<&Arc<Step<S>>> {
        if let Self::Took(step) = self { Some(step) } else { None }
    }

    fn key(&self) -> (&World, &S::Memory, Option<usize>) {
        match self {
            Self::At(node) => (&node.world, &node.memory, None),
            Self::Took(step) => (&step.before.world, &step.before.memory, Some(step.number)),
        }
    }
}

impl<S: System> PartialEq for State<S> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<S: System> Hash for State<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key().hash(hasher);
    }
}

/// In words, since stateright's Explorer shows states so.
impl<S: System> fmt::Debug for State<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(node) => write!(f, "{}", describe(node)),
            Self::Took(step) => write!(f, "a step to: {}", describe(step.next())),
        }
    }
}

/// A system as stateright's model: the moves under check, in which order they are tried, with which containers
/// everything begins, and the statements.
pub(crate) struct Judge<S: System> {
    system: S,
    semantics: Semantics,
    starts: Vec<Arc<Node<S>>>,
    actions: Vec<Arc<ModelAction>>,
    sections: &'static [Section<S>],
}

impl<S: System> Judge<S> {
    pub(crate) fn new(
        system: S,
        semantics: Semantics,
        openings: Vec<SettingsDraft>,
        requests: impl IntoIterator<Item = Request>,
        others: impl IntoIterator<Item = ModelAction>,
        sections: &'static [Section<S>],
    ) -> Self {
        let open = |draft| {
            let world = (semantics.open)(draft, &mut Preferences::default()).ok()?;
            let (memory, world) = (system.open(&world), canonical(&world));
            Some(Arc::new(Node { world, memory, steps: OnceLock::new() }))
        };
        // stateright begins with the last one.
        let starts = openings.into_iter().rev().filter_map(open).collect();
        let actions = requests.into_iter().map(ModelAction::Ask).chain(others).map(Arc::new).collect();
        Self { system, semantics, starts, actions, sections }
    }

    /// Returns every step from a node.
    fn steps(&self, before: &Arc<Node<S>>) -> Box<[Arc<Step<S>>]> {
        let mut steps = Vec::new();
        for action in &self.actions {
            for outcome in self.system.outcomes(&self.semantics, before, action) {
                let (before, action, number) = (Arc::clone(before), Arc::clone(action), steps.len());
                let Outcome { made, answer, after, seen } = outcome;
                let mut step = Step { before, number, action, made, answer, after, seen, arrives: None };
                let (world, memory) = (canonical(&step.after), self.system.remember(&step));
                if (&world, &memory) != (&step.before.world, &step.before.memory) {
                    step.arrives = Some(Arc::new(Node { world, memory, steps: OnceLock::new() }));
                }
                steps.push(Arc::new(step));
            }
        }
        steps.into()
    }
}

impl<S: System> Model for Judge<S> {
    type State = State<S>;
    /// To go on to a state.
    type Action = State<S>;

    fn init_states(&self) -> Vec<State<S>> {
        self.starts.iter().cloned().map(State::At).collect()
    }

    fn actions(&self, state: &State<S>, next: &mut Vec<State<S>>) {
        match state {
            State::At(node) => {
                let steps = node.steps.get_or_init(|| self.steps(node));
                next.extend(steps.iter().cloned().map(State::Took));
            }
            State::Took(step) => next.extend(step.arrives.clone().map(State::At)),
        }
    }

    fn next_state(&self, _: &State<S>, next: State<S>) -> Option<State<S>> {
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        sentences(self.sections).map(|(_, _, sentence)| property(sentence)).collect()
    }

    fn format_action(&self, next: &State<S>) -> String {
        next.step().map_or("go on".into(), |step| step.action.lines().join(", "))
    }

    /// The step as lines of a story, the choices that were made, and the world to which it leads.
    fn format_step(&self, _: &State<S>, next: State<S>) -> Option<String> {
        let mut lines = Vec::new();
        if let Some(step) = next.step() {
            let yes = step.made.iter().filter(|made| made.yes);
            lines = self.system.tell(step);
            lines.extend(yes.map(|made| format!("chosen: {:?}", made.choice)));
        }
        lines.push(format!("{next:?}"));
        Some(lines.join("\n"))
    }
}

/// Lets stateright visit every state of a system. Returns its verdicts, and every step in the order of the visit.
pub(crate) fn judge<S: System>(
    name: &'static str,
    about: &'static str,
    judge: Judge<S>,
) -> (CheckedModel, Vec<Arc<Step<S>>>) {
    let (recorder, visited) = StateRecorder::new_with_accessor();
    // No property has this name, so stateright goes on to the last state, whatever it discovers.
    let never = HasDiscoveries::AllOf(["nothing ends the search"].into());
    let checker = judge.checker().finish_when(never).visitor(recorder).spawn_bfs().join();
    let (judge, discoveries, states) = (checker.model(), checker.discoveries(), visited());
    let steps: Vec<_> = states.iter().filter_map(State::step).cloned().collect();
    let properties = sentences(judge.sections).map(|(section, clauses, &(kind, sentence, condition))| {
        let trace = || {
            let is_wanted = kind == PropertyKind::Sometimes;
            let last = states.iter().find(|state| condition(judge, state) == is_wanted);
            let story = last.and_then(State::step).map(|last| story(&steps, last)).unwrap_or_default();
            let opening = story.first().map(|first| container(draft_of(first.before.settings)));
            let lines = story.iter().flat_map(|step| judge.system.tell(step));
            Trace { steps: story.len(), lines: opening.into_iter().chain(lines).collect() }
        };
        let result = match (kind, discoveries.contains_key(sentence)) {
            (PropertyKind::Always, false) => PropertyResult::Held,
            (PropertyKind::Always, true) => PropertyResult::Violated(trace()),
            (PropertyKind::Sometimes, false) => PropertyResult::NotFound,
            (PropertyKind::Sometimes, true) => PropertyResult::Found(trace()),
        };
        CheckedProperty { kind, section, clauses, sentence, result }
    });
    let model = CheckedModel {
        name,
        about,
        // All others are steps.
        unique_states: states.len().saturating_sub(steps.len()),
        steps: steps.len(),
        depth: checker.max_depth() / 2,
        properties: properties.collect(),
    };
    (model, steps)
}

/// Returns the way from a start to this step: before it, the first visited step that led to where it begins.
fn story<'a, S: System>(steps: &'a [Arc<Step<S>>], last: &'a Step<S>) -> Vec<&'a Step<S>> {
    let leads =
        |step: &&Arc<Step<S>>| step.arrives.as_ref().is_some_and(|node| Arc::ptr_eq(node, &last.before));
    let mut story = steps.iter().find(leads).map(|before| story(steps, before)).unwrap_or_default();
    story.push(last);
    story
}
