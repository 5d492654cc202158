//! stateright judges: a system as its model, and a visitor that keeps the shortest story of each property.
//!
//! A state of stateright is either *at* a world or has just *taken* a step from one; the only way on from there is to the
//! world after the step, shifted and capped. So every step is judged once, and most of what can be said about time to
//! live is said of a request and its answer. Each statement is a property of stateright on that state, and whether it
//! holds is what stateright discovers.
//!
//! stateright 0.31 overwrites a discovery with each later one. On one thread it visits states in the order of their
//! distance, so [`Stories`] keeps the first path that breaks an *always* or shows a *sometimes*: a shortest one.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{Edition, SettingsDraft};
use cosmos_ttl_model::rule::Sent;
use stateright::{Checker as _, CheckerVisitor, Expectation, HasDiscoveries, Model, Path, Property};

use crate::report::{CheckedModel, CheckedProperty, PropertyKind, PropertyResult, Trace, TraceEvent};
use crate::statement::{properties, sentences};
use crate::system::{Node, Step, System, consistent, draft_of};
use crate::world::{canonical, describe};

/// At a world, or having just taken a step from one.
#[derive(Clone)]
pub(crate) enum State<S: System> {
    At(Arc<Place<S>>),
    Took(Arc<Step<S>>),
}

/// A world with the steps from there, once they are known: stateright asks for them again whenever it makes a path.
#[derive(Debug)]
pub(crate) struct Place<S: System> {
    pub(crate) node: Arc<Node<S::Memory>>,
    steps: OnceLock<Box<[Arc<Step<S>>]>>,
}

impl<S: System> Place<S> {
    fn new(node: Node<S::Memory>) -> Arc<Self> {
        Arc::new(Self { node: Arc::new(node), steps: OnceLock::new() })
    }
}

impl<S: System> State<S> {
    pub(crate) fn step(&self) -> Option<&Step<S>> {
        if let Self::Took(step) = self { Some(step) } else { None }
    }

    fn key(&self) -> (&Node<S::Memory>, Option<usize>) {
        match self {
            Self::At(place) => (&place.node, None),
            Self::Took(step) => (&step.before, Some(step.number.0)),
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
            Self::At(place) => write!(f, "{}", describe(&place.node)),
            Self::Took(step) => write!(f, "a step to: {}", describe(step.next())),
        }
    }
}

/// Where a path goes on: to a step, by its number among those from there and that of its move; or from a step to a world.
type Turn = Option<(usize, usize)>;

/// A system as stateright's model.
pub(crate) struct Judge<S: System> {
    system: S,
    starts: Vec<Arc<Place<S>>>,
}

impl<S: System> Judge<S> {
    pub(crate) fn new(system: S) -> Self {
        let bounds = system.bounds();
        let open = |&(edition, draft): &(Edition, SettingsDraft)| {
            let world = (bounds.semantics.open)(edition, draft, &mut Preferences::default()).ok()?;
            Some(Place::new(Node { memory: system.opened(&world), world: canonical(&world) }))
        };
        let mut starts: Vec<_> = bounds.openings.iter().filter_map(open).collect();
        // stateright begins with the last one.
        starts.reverse();
        Self { system, starts }
    }

    /// Returns every step from a world.
    fn steps<'a>(&self, place: &'a Place<S>) -> &'a [Arc<Step<S>>] {
        place.steps.get_or_init(|| {
            let mut steps = Vec::new();
            for (action, its) in self.system.bounds().actions.iter().enumerate() {
                for outcome in self.system.outcomes(&place.node, its) {
                    let mut step = Step {
                        before: Arc::clone(&place.node),
                        number: (steps.len(), action),
                        action: Arc::clone(its),
                        made: outcome.made,
                        answer: outcome.answer,
                        after: outcome.after,
                        seen: outcome.seen,
                        arrives: None,
                    };
                    let (world, memory) = (canonical(&step.after), self.system.remember(&step));
                    if (&world, &memory) != (&place.node.world, &place.node.memory) {
                        step.arrives = Some(Place::new(Node { world, memory }));
                    }
                    steps.push(Arc::new(step));
                }
            }
            steps.into()
        })
    }
}

impl<S: System> Model for Judge<S> {
    type State = State<S>;
    type Action = Turn;

    fn init_states(&self) -> Vec<State<S>> {
        self.starts.iter().cloned().map(State::At).collect()
    }

    fn actions(&self, state: &State<S>, turns: &mut Vec<Turn>) {
        match state {
            State::At(place) => turns.extend(self.steps(place).iter().map(|step| Some(step.number))),
            State::Took(_) => turns.push(None),
        }
    }

    fn next_state(&self, state: &State<S>, turn: Turn) -> Option<State<S>> {
        match (state, turn) {
            (State::At(place), Some((number, _))) => self.steps(place).get(number).cloned().map(State::Took),
            (State::Took(step), None) => step.arrives.clone().map(State::At),
            _ => None,
        }
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties(self.system.sections())
    }

    fn format_action(&self, turn: &Turn) -> String {
        let action = turn.and_then(|(_, action)| self.system.bounds().actions.get(action));
        action.map_or("go on".into(), |action| action.line())
    }

    /// The step as lines of a story, the choices that were made, and the world to which it leads.
    fn format_step(&self, state: &State<S>, turn: Turn) -> Option<String> {
        let next = self.next_state(state, turn)?;
        let Some(step) = next.step() else { return Some(format!("{next:?}")) };
        let mut lines: Vec<_> = self.system.events(step).iter().map(TraceEvent::line).collect();
        let yes = step.made.iter().filter(|made| made.yes);
        lines.extend(yes.map(|made| format!("chosen: {:?}", made.choice)));
        lines.push(format!("{next:?}"));
        Some(lines.join("\n"))
    }
}

/// The first path to what breaks or shows each property, and what was visited on the way.
struct Visited<S: System> {
    stories: Vec<Option<Story<S>>>,
    steps: Story<S>,
}

pub(crate) type Story<S> = Vec<Arc<Step<S>>>;

/// Keeps stories; see the page of this module.
struct Stories<S: System> {
    properties: Vec<Property<Judge<S>>>,
    visited: Arc<Mutex<Visited<S>>>,
}

impl<S: System> CheckerVisitor<Judge<S>> for Stories<S> {
    fn visit(&self, judge: &Judge<S>, path: Path<State<S>, Turn>) {
        let mut visited = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        let state = path.last_state().clone();
        let State::Took(step) = &state else { return };
        visited.steps.push(Arc::clone(step));
        let taken = |state| if let State::Took(step) = state { Some(step) } else { None };
        for (property, story) in self.properties.iter().zip(&mut visited.stories) {
            let is_wanted = property.expectation == Expectation::Sometimes;
            if story.is_none() && (property.condition)(judge, &state) == is_wanted {
                *story = Some(path.clone().into_states().into_iter().filter_map(taken).collect());
            }
        }
    }
}

/// Lets stateright visit every state of a system. Returns its verdicts, and every step in the order of the visit.
pub(crate) fn judge<S: System>(
    name: &'static str,
    about: &'static str,
    system: S,
) -> (CheckedModel, Story<S>) {
    let sections = system.sections();
    let properties = properties(sections);
    let stories = properties.iter().map(|_| None).collect();
    let visited = Arc::new(Mutex::new(Visited { stories, steps: Vec::new() }));
    let visitor = Stories { properties, visited: Arc::clone(&visited) };
    // No property has this name, so stateright goes on to the last state, whatever it discovers.
    let never = HasDiscoveries::AllOf(["nothing ends the search"].into());
    let checker = Judge::new(system).checker().finish_when(never).visitor(visitor).spawn_bfs().join();
    let discoveries = checker.discoveries();
    let mut visited = visited.lock().unwrap_or_else(PoisonError::into_inner);
    let trace = |story: &Option<Story<S>>| {
        let story = story.as_deref().unwrap_or_default();
        let (first, last) = (story.first(), story.last());
        let opening = first.map_or(consistent(Sent::Absent), |first| draft_of(first.before.settings));
        let look = last.map(|last| checker.model().system.bounds().list(&last.after)).unwrap_or_default();
        let events = story.iter().flat_map(|step| checker.model().system.events(step)).collect();
        Trace { opening, steps: story.len(), events, look }
    };
    let properties = sentences(sections).zip(&visited.stories).map(|((section, clauses, one), story)| {
        let &(kind, sentence, _) = one;
        let result = match (kind, discoveries.contains_key(sentence)) {
            (PropertyKind::Always, false) => PropertyResult::Held,
            (PropertyKind::Always, true) => PropertyResult::Violated(trace(story)),
            (PropertyKind::Sometimes, false) => PropertyResult::NotFound,
            (PropertyKind::Sometimes, true) => PropertyResult::Found(trace(story)),
        };
        CheckedProperty { kind, section, clauses, sentence, result }
    });
    let model = CheckedModel {
        name,
        about,
        // All others are steps.
        unique_states: checker.unique_state_count().saturating_sub(visited.steps.len()),
        steps: visited.steps.len(),
        depth: checker.max_depth() / 2,
        properties: properties.collect(),
    };
    (model, core::mem::take(&mut visited.steps))
}
