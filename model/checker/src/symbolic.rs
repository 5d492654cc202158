//! Proofs for all integers, by running the rule itself on unknowns.
//!
//! The rule is generic over its numbers and does nothing with them but compare. Run on [`Sym`]s, each comparison that
//! could go either way goes both ways, one after the other, and what it was taken to be becomes a constraint of the form
//! x - y <= c. So a statement is tried on every case that comparisons can tell apart: if it holds in each, it holds of
//! all integers; if not, the constraints of that case have a solution, which is a counterexample.

use core::cmp::Ordering;
use std::cell::RefCell;
use std::thread_local;

/// An unknown integer, or a known one, plus a known one.
#[derive(Clone, Copy, Debug)]
pub struct Sym {
    /// 0 stands for the number 0.
    unknown: usize,
    plus: i64,
}

impl Sym {
    /// This number plus a constant.
    #[must_use]
    pub fn plus(self, more: i64) -> Self {
        Self { plus: self.plus.saturating_add(more), ..self }
    }

    fn at_most(self, other: Self) -> bool {
        let bound = i128::from(other.plus) - i128::from(self.plus);
        let limit = DifferenceBound { greater: self.unknown, smaller: other.unknown, bound };
        RUN.with_borrow_mut(|run| run.decide(limit))
    }
}

impl From<i32> for Sym {
    fn from(number: i32) -> Self {
        Self { unknown: 0, plus: i64::from(number) }
    }
}

impl PartialEq for Sym {
    fn eq(&self, other: &Self) -> bool {
        self.at_most(*other) && other.at_most(*self)
    }
}

impl PartialOrd for Sym {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(match (self.at_most(*other), other.at_most(*self)) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, _) => Ordering::Greater,
        })
    }

    fn le(&self, other: &Self) -> bool {
        self.at_most(*other)
    }

    fn lt(&self, other: &Self) -> bool {
        !other.at_most(*self)
    }

    fn ge(&self, other: &Self) -> bool {
        other.at_most(*self)
    }

    fn gt(&self, other: &Self) -> bool {
        !self.at_most(*other)
    }
}

/// greater - smaller <= bound
#[derive(Clone, Copy, Debug)]
struct DifferenceBound {
    greater: usize,
    smaller: usize,
    bound: i128,
}

impl DifferenceBound {
    /// Of integers, not (x - y <= c) is y - x <= -c - 1.
    fn not(self) -> Self {
        Self { greater: self.smaller, smaller: self.greater, bound: -self.bound - 1 }
    }
}

/// One case: what has been assumed so far, and how the free comparisons go.
#[derive(Debug, Default)]
struct SymbolicRun {
    unknowns: usize,
    assumed: Vec<DifferenceBound>,
    choices: Vec<bool>,
    next: usize,
}

thread_local! {
    static RUN: RefCell<SymbolicRun> = RefCell::default();
}

impl SymbolicRun {
    fn decide(&mut self, limit: DifferenceBound) -> bool {
        let holds = match (self.solution(limit).is_some(), self.solution(limit.not()).is_some()) {
            (true, true) => self.choose(),
            (possible, _) => possible,
        };
        self.assumed.push(if holds { limit } else { limit.not() });
        holds
    }

    fn choose(&mut self) -> bool {
        self.next += 1;
        if self.next > self.choices.len() {
            self.choices.push(true);
        }
        self.choices.get(self.next - 1).copied().unwrap_or(true)
    }

    /// Numbers that meet everything assumed and one limit more, by Bellman and Ford; the unknown 0 is 0.
    fn solution(&self, more: DifferenceBound) -> Option<Vec<i128>> {
        let mut values = vec![0i128; self.unknowns.saturating_add(1)];
        for _ in 0..=values.len() {
            let mut settled = true;
            for limit in self.assumed.iter().chain([&more]) {
                let most = values.get(limit.smaller)?.saturating_add(limit.bound);
                let value = values.get_mut(limit.greater)?;
                if most < *value {
                    *value = most;
                    settled = false;
                }
            }
            if settled {
                let zero = values.first().copied()?;
                return Some(values.into_iter().skip(1).map(|value| value.saturating_sub(zero)).collect());
            }
        }
        None
    }
}

/// Tries a statement about this number of unknowns on every case.
///
/// Returns how many cases the comparisons can tell apart if it is true of all integers.
///
/// # Errors
///
/// If it is not: numbers of which it is not true, one for each unknown, in order.
///
/// The statement must do nothing with its numbers but compare them, and must not call this function itself.
pub fn for_all<const UNKNOWNS: usize>(
    statement: impl Fn([Sym; UNKNOWNS]) -> bool,
) -> Result<usize, Vec<i128>> {
    let unknowns = core::array::from_fn(|index| Sym { unknown: index.saturating_add(1), plus: 0 });
    let mut choices = Vec::new();
    let mut paths: usize = 0;
    loop {
        RUN.set(SymbolicRun { unknowns: UNKNOWNS, choices, ..SymbolicRun::default() });
        let holds = statement(unknowns);
        let run = RUN.take();
        paths = paths.saturating_add(1);
        if !holds {
            let nothing_more = DifferenceBound { greater: 0, smaller: 0, bound: 0 };
            return Err(run.solution(nothing_more).unwrap_or_default());
        }
        choices = run.choices;
        while choices.last() == Some(&false) {
            choices.pop();
        }
        match choices.last_mut() {
            Some(last) => *last = false,
            None => return Ok(paths),
        }
    }
}
