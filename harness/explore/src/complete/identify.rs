//! Harmonised state identifiers: for each state a few sequences, so that any two different states share one on which they
//! answer differently.

use std::collections::{BTreeSet, VecDeque};

use crate::complete::input::InputNumber;
use crate::complete::machine::{Machine, StateNumber};

/// How long a sequence may become, and how many are tried at the same time.
const LONGEST: usize = 10;
const BEAM: usize = 32;
/// The cost of an input that each test sends for itself; one that tests share costs 1.
const OWN_COST: usize = 3;

/// The sequences that identify the states of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifiers {
    /// For each state the first one that no client can tell from it.
    pub representatives: Vec<StateNumber>,
    /// For each state its sequences.
    pub of: Vec<Vec<Vec<InputNumber>>>,
}

impl Identifiers {
    /// Finds the sequences: greedily, the one first that tells most pairs of states apart.
    pub fn of(machine: &Machine) -> Self {
        let looks = Looks::of(machine);
        let representatives = looks.representatives(machine);
        let mut distinct = representatives.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut pairs: Vec<Pair> = Vec::new();
        for (at, one) in distinct.iter().enumerate() {
            pairs.extend(distinct.iter().skip(at + 1).map(|other| [*one, *other]));
        }
        let mut of: Vec<Vec<Vec<InputNumber>>> = vec![Vec::new(); representatives.len()];
        while let Some(family) = looks.best(&pairs) {
            // How much of the sequence each state needs.
            let mut needed = vec![0; representatives.len()];
            pairs.retain(|[one, other]| {
                let Some(length) = looks.telling(&family, [*one, *other]) else { return true };
                for state in [one, other] {
                    if let Some(needed) = needed.get_mut(usize::from(*state)) {
                        *needed = length.max(*needed);
                    }
                }
                false
            });
            for (own, needed) in of.iter_mut().zip(needed).filter(|(_, needed)| *needed > 0) {
                own.push(family.iter().take(needed).map(|at| looks.input(*at)).collect());
            }
        }
        for own in &mut of {
            let all = own.clone();
            let begins = |one: &Vec<_>, other: &Vec<_>| one.len() < other.len() && other.starts_with(one);
            own.retain(|one| !all.iter().any(|other| begins(one, other)));
        }
        let of = representatives.iter().map(|state| of.get(usize::from(*state)).cloned().unwrap_or_default());
        Self { of: of.collect(), representatives }
    }

    /// Returns how many states no client can tell from each other.
    pub fn distinct(&self) -> usize {
        self.representatives
            .iter()
            .enumerate()
            .filter(|(number, first)| usize::from(**first) == *number)
            .count()
    }

    /// Returns the sequences of a state.
    pub fn of_state(&self, state: StateNumber) -> &[Vec<InputNumber>] {
        self.of.get(usize::from(state)).map_or(&[], Vec::as_slice)
    }
}

/// Two states that a client can tell apart.
type Pair = [StateNumber; 2];

/// The inputs that identifiers consist of, and what they do in each state.
struct Looks {
    inputs: Vec<InputNumber>,
    costs: Vec<usize>,
    /// For each input and each state the next state.
    next: Vec<Vec<StateNumber>>,
    /// For each input and each pair of states whether they answer differently.
    differ: Vec<Vec<bool>>,
    states: usize,
}

impl Looks {
    /// The inputs of the core that mean something in each state and never refuse for their value alone.
    fn of(machine: &Machine) -> Self {
        let states = machine.state_count();
        let all = || (0..=u8::MAX).take(states);
        let mut looks = Self { inputs: vec![], costs: vec![], next: vec![], differ: vec![], states };
        for number in (0..=u8::MAX).take(machine.core()) {
            let is_shared = machine.alphabet.is_shared(number);
            let next: Option<Vec<_>> = all().map(|state| Some(machine.step(state, number)?.1)).collect();
            let Some(next) = next else { continue };
            let looks_or_moves = is_shared || next.iter().zip(all()).any(|(next, state)| *next != state);
            if !looks_or_moves {
                continue;
            }
            looks.inputs.push(number);
            looks.costs.push(if is_shared { 1 } else { OWN_COST });
            looks.next.push(next);
            let row = |one| all().map(move |other| machine.differ(one, other, number));
            looks.differ.push(all().flat_map(row).collect());
        }
        looks
    }

    fn input(&self, at: usize) -> InputNumber {
        self.inputs.get(at).copied().unwrap_or_default()
    }

    fn after(&self, at: usize, state: StateNumber) -> StateNumber {
        self.next.get(at).and_then(|next| next.get(usize::from(state))).copied().unwrap_or(state)
    }

    fn differs(&self, at: usize, [one, other]: Pair) -> bool {
        let place = usize::from(one) * self.states + usize::from(other);
        self.differ.get(at).and_then(|row| row.get(place)).copied().unwrap_or(false)
    }

    /// How much of a sequence tells two states apart.
    fn telling(&self, sequence: &[usize], mut pair: Pair) -> Option<usize> {
        for (number, at) in sequence.iter().enumerate() {
            if self.differs(*at, pair) {
                return Some(number + 1);
            }
            pair = pair.map(|state| self.after(*at, state));
        }
        None
    }

    /// For each state the first one that no sequence tells from it.
    fn representatives(&self, machine: &Machine) -> Vec<StateNumber> {
        let mut apart = vec![false; self.states * self.states];
        let place =
            |one: StateNumber, other: StateNumber| usize::from(one) * self.states + usize::from(other);
        let all = || (0..=u8::MAX).take(self.states);
        let inputs = || (0..=u8::MAX).take(machine.input_count());
        loop {
            let mut grew = false;
            for one in all() {
                for other in all().take(one.into()) {
                    if apart.get(place(one, other)).copied().unwrap_or(true) {
                        continue;
                    }
                    let told = inputs().any(|input| {
                        let next = || Some((machine.step(one, input)?.1, machine.step(other, input)?.1));
                        machine.differ(one, other, input)
                            || next().is_some_and(|(one, other)| {
                                apart.get(place(one, other)).copied().unwrap_or(false)
                            })
                    });
                    if told {
                        grew = true;
                        for at in [place(one, other), place(other, one)] {
                            if let Some(apart) = apart.get_mut(at) {
                                *apart = true;
                            }
                        }
                    }
                }
            }
            if !grew {
                break;
            }
        }
        let first = |state| all().find(|other| !apart.get(place(state, *other)).copied().unwrap_or(false));
        all().map(|state| first(state).unwrap_or(state)).collect()
    }

    /// Returns the sequence that tells most of these pairs apart, the cheapest of those; `None` where none is left.
    fn best(&self, pairs: &[Pair]) -> Option<Vec<usize>> {
        let start = Candidate { sequence: Vec::new(), told: 0, cost: 0, left: pairs.to_vec() };
        let (mut beam, mut best) = (vec![start.clone()], start);
        for _ in 0..LONGEST {
            let mut next: Vec<Candidate> = Vec::new();
            for candidate in &beam {
                next.extend((0..self.inputs.len()).map(|at| candidate.extended(self, at)));
            }
            next.sort_by_key(Candidate::rank);
            next.dedup_by(|one, other| one.left == other.left);
            next.truncate(BEAM);
            if let Some(first) = next.first().filter(|first| first.rank() < best.rank()) {
                best = first.clone();
            }
            beam = next;
        }
        if best.told > 0 { Some(best.sequence) } else { self.shortest(*pairs.first()?) }
    }

    /// Returns a shortest sequence that tells these two states apart.
    fn shortest(&self, pair: Pair) -> Option<Vec<usize>> {
        let mut known = BTreeSet::from([pair]);
        let mut waiting = VecDeque::from([(pair, Vec::new())]);
        while let Some((pair, sequence)) = waiting.pop_front() {
            for at in 0..self.inputs.len() {
                let longer: Vec<usize> = sequence.iter().copied().chain([at]).collect();
                if self.differs(at, pair) {
                    return Some(longer);
                }
                let next = pair.map(|state| self.after(at, state));
                if known.insert(next) {
                    waiting.push_back((next, longer));
                }
            }
        }
        None
    }
}

/// A sequence, and the pairs that it does not tell apart, as they are after it.
#[derive(Clone)]
struct Candidate {
    sequence: Vec<usize>,
    told: usize,
    cost: usize,
    left: Vec<Pair>,
}

impl Candidate {
    fn extended(&self, looks: &Looks, at: usize) -> Self {
        let mut sequence = self.sequence.clone();
        sequence.push(at);
        let same = self.left.iter().copied().filter(|pair| !looks.differs(at, *pair));
        let left: Vec<Pair> = same.map(|pair| pair.map(|state| looks.after(at, state))).collect();
        let cost = self.cost + looks.costs.get(at).copied().unwrap_or(OWN_COST);
        Self { sequence, told: self.told + self.left.len() - left.len(), cost, left }
    }

    /// The best first.
    fn rank(&self) -> (std::cmp::Reverse<usize>, usize) {
        (std::cmp::Reverse(self.told), self.cost)
    }
}
