//! Goes through a storyboard and says of every request what it must answer.

use std::collections::BTreeSet;

use super::maybe::Maybes;
use super::{clauses, details, expect, line};
use crate::draft::Line;
use crate::{Action, Call, Script};
use cosmos_ttl_harness::target::{Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse};

/// A storyboard with expectations.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) lines: Vec<Line>,
    /// The requests, each with its second.
    pub(super) asks: Vec<(u64, Call)>,
    /// What the request in question must answer.
    pub(super) last: Expect,
    /// What that request shows, and every open clause on the way.
    pub(super) clauses: BTreeSet<&'static str>,
}

/// Tells it all. The move at `last`, or the making of the container where there is none, is the one in question: its
/// clauses are cited, and it may be told in detail.
pub(super) fn tell(board: &Script, last: Option<usize>, detailed: bool) -> Result<Told, String> {
    let mut teller = Teller::new(board);
    let shows = teller.ask(&board.creation(), false)?;
    if last.is_none() {
        teller.clauses.extend(shows.clauses);
        teller.last = shows.expect;
    }
    for (number, one) in board.actions.iter().enumerate() {
        match one {
            Action::Wait(seconds) => teller.wait(*seconds)?,
            Action::Call(ask) => {
                let asked = last == Some(number);
                let shows = teller.ask(ask, detailed && asked)?;
                if asked {
                    teller.clauses.extend(shows.clauses);
                    teller.last = shows.expect;
                }
            }
        }
    }
    let Teller { lines, asks, last, clauses, .. } = teller;
    Ok(Told { lines, asks, last, clauses })
}

/// After how many moves the container stands, whatever the target chose; `None` if it never does.
pub(super) fn stands_after(board: &Script) -> Result<Option<usize>, String> {
    let mut teller = Teller::new(board);
    let mut shows = teller.ask(&board.creation(), false)?;
    for (number, one) in board.actions.iter().enumerate() {
        if shows.makes_container() {
            return Ok(Some(number));
        }
        match one {
            Action::Wait(seconds) => teller.wait(*seconds)?,
            Action::Call(ask) => shows = teller.ask(ask, false)?,
        }
    }
    Ok(shows.makes_container().then_some(board.actions.len()))
}

/// What one request shows.
struct Shows {
    expect: Expect,
    clauses: BTreeSet<&'static str>,
    asks_for_container: bool,
}

impl Shows {
    /// Whether there is a container from here on, or may be.
    fn makes_container(&self) -> bool {
        let stands = |one: &ExpectedResponse| matches!(one, ExpectedResponse::Status(Status::Created, _));
        self.asks_for_container && self.expect.outcomes().any(stands)
    }
}

struct Teller<'a> {
    board: &'a Script,
    maybes: Maybes,
    now_s: u64,
    /// The second that the lines have come to.
    told_s: u64,
    lines: Vec<Line>,
    asks: Vec<(u64, Call)>,
    last: Expect,
    clauses: BTreeSet<&'static str>,
}

impl<'a> Teller<'a> {
    fn new(board: &'a Script) -> Self {
        Self {
            board,
            maybes: Maybes::new(board.edition),
            now_s: 0,
            told_s: 0,
            lines: Vec::new(),
            asks: Vec::new(),
            last: Expect::One(ExpectedResponse::Count(0)),
            clauses: BTreeSet::new(),
        }
    }

    fn wait(&mut self, seconds: u64) -> Result<(), String> {
        self.now_s = self.now_s.saturating_add(seconds);
        self.maybes.pass(seconds)
    }

    fn ask(&mut self, ask: &Call, detailed: bool) -> Result<Shows, String> {
        let before = self.maybes.clone();
        let at = |why: String| format!("at second {}: {why}", self.now_s);
        let answers = self.maybes.ask(ask).map_err(at)?;
        let expect::Expected { expect, told } = expect::of(&answers).map_err(at)?;
        let text = if detailed { details::added(&expect, told.as_ref(), &answers) } else { expect.clone() };
        let line = line::line(ask, &text).map_err(at)?;
        self.maybes.follow(answers, told.as_ref())?;
        let mut clauses = clauses::of(ask, &expect, &before, &self.maybes, self.board.edition);
        self.clauses.extend(told.as_ref().map(|key| key.clause));
        clauses.extend(told.map(|key| key.clause));
        if self.told_s < self.now_s {
            self.told_s = self.now_s;
            self.lines.push(Line::At(self.now_s));
        }
        self.lines.push(line);
        self.asks.push((self.now_s, ask.clone()));
        let asks_for_container = matches!(ask.request, Request::CreateContainer(_));
        Ok(Shows { expect, clauses, asks_for_container })
    }
}
