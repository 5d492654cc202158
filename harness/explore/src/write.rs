//! A storyboard as a vector that is ready to be added.
//!
//! What every step must answer is derived anew from the model, in every world that may be; nothing that a target said
//! goes into it. What comes out was loaded as strictly as any vector and passed by the model and by the store that was
//! written without it, or there is nothing: a storyboard that the format cannot say is refused with the reason.

mod clauses;
mod details;
mod expect;
mod line;
mod maybe;
mod open;
mod tell;
mod words;

use std::collections::BTreeSet;

use self::tell::{Told, tell};
use super::draft::{self, WITNESS};
use super::{Action, Call, Script};
use cosmos_ttl_harness::clauses::Observe;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::replay::replay;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Opening, Operation, Removal, Request, Target,
};
use cosmos_ttl_harness::vector::{DERIVED, Expect, Suite, Vector};
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_mutants::IndependentStore;
use cosmos_ttl_reference::Reference;

/// A vector that is ready to be added.
#[derive(Clone, Debug)]
pub struct Written {
    /// `section/id`; nothing in the suite has it.
    pub name: String,
    /// The section, which is also the name of its file.
    pub section: String,
    /// The vector alone, as it stands in the file.
    pub text: String,
    /// The file with it at the end.
    pub file: String,
    /// The same, loaded.
    pub vector: Vector,
}

/// Writes a storyboard as a vector about these clauses, and whichever its last request shows, in the first of several
/// forms that `fails`: with a witness or without one, with the details of the last answer or without. Whoever has no
/// target at hand says that every form will do.
///
/// # Errors
///
/// Why no vector can say it.
pub fn write(
    board: &Script,
    suite: &Suite,
    about: &[&str],
    fails: &mut dyn FnMut(&Vector) -> bool,
) -> Result<Written, String> {
    let mut why = None;
    for witness in [false, true] {
        for detailed in [false, true] {
            let form = Form { board, suite, about, witness, detailed };
            match form.written() {
                Ok(written) if fails(&written.vector) => return Ok(written),
                Ok(_) => {
                    why = Some("the target answers every vector of it as expected: what differs is nothing that a vector can ask for".into());
                }
                Err(flaw) => {
                    why.get_or_insert(flaw);
                }
            }
        }
    }
    Err(why.unwrap_or_default())
}

/// One way to write it.
struct Form<'a> {
    board: &'a Script,
    suite: &'a Suite,
    about: &'a [&'a str],
    witness: bool,
    detailed: bool,
}

impl Form<'_> {
    fn written(&self) -> Result<Written, String> {
        let (board, last) = if self.witness { witnessed(self.board)? } else { plain(self.board) };
        let told = tell(&board, last, self.detailed)?;
        let clauses = self.clauses(&told)?;
        let section = self.section(&clauses)?;
        let taken = |id: &str| self.suite.get(&format!("{section}/{id}")).is_some();
        let id = words::id(self.board, taken);
        let title = words::title(self.board, &told.last);
        let edition = edition(&board, last, self.detailed, &told);
        let text = draft::vector((&id, &title), &clauses, edition.as_deref(), &told.lines).join("\n");
        let vector = self.loaded(&section, &head(&section), &text)?;
        let read = vector.steps.iter().map(|step| (step.at_s, &step.request, &step.conditions));
        let as_meant = told.asks.iter().map(|(at_s, ask)| (*at_s, &ask.request, &ask.conditions)).eq(read);
        if !as_meant {
            return Err("the format reads other requests in it than were made".into());
        }
        agreed(&vector, board.edition)?;
        let before = self.before(&section);
        let file = format!("{}\n\n{text}\n", before.trim_end());
        self.loaded(&section, "", &file)?;
        Ok(Written { name: vector.name.clone(), section, text, file, vector })
    }

    /// The last vector of this file.
    fn loaded(&self, section: &str, head: &str, text: &str) -> Result<Vector, String> {
        let vectors = self.suite.read_file(&format!("{section}.yaml"), format!("{head}{text}\n"));
        let mut vectors = vectors.map_err(|flaw| flaw.what.clone())?;
        vectors.pop().ok_or_else(|| "nothing was written".into())
    }

    /// The file as it stands; an empty one where there is none.
    fn before(&self, section: &str) -> String {
        let by_hand = |vector: &&Vector| {
            let id = vector.name.split_once('/').map_or("", |(_, id)| id);
            vector.section == section && !id.starts_with(DERIVED)
        };
        let known = self.suite.vectors.iter().find(by_hand);
        known.map_or_else(|| head(section), |vector| vector.source.text.clone())
    }

    fn clauses(&self, told: &Told) -> Result<Vec<&str>, String> {
        let cited = |id: &&str| {
            let clause = self.suite.catalogue.get(id);
            clause.is_some_and(|clause| clause.observe == Observe::Client)
        };
        let mut seen = BTreeSet::new();
        let all = self.about.iter().copied().chain(told.clauses.iter().copied());
        let all: Vec<&str> = all.filter(cited).filter(|id| seen.insert(*id)).collect();
        // The clauses are the suite's own words.
        let known = self.suite.catalogue.clauses().map(|clause| clause.id.as_str());
        let known: BTreeSet<&str> = known.collect();
        let all: Vec<&str> = all.into_iter().filter_map(|id| known.get(id).copied()).collect();
        if all.is_empty() { Err("it shows no clause that a client can see".into()) } else { Ok(all) }
    }

    fn section(&self, clauses: &[&str]) -> Result<String, String> {
        let first = clauses.first().copied().unwrap_or_default();
        let holds = self.suite.catalogue.sections.iter();
        let mut holds = holds.filter(|section| section.clauses.iter().any(|clause| clause.id == first));
        holds
            .next()
            .map(|section| section.name.clone())
            .ok_or_else(|| format!("`{first}` stands in no section"))
    }
}

fn head(section: &str) -> String {
    format!("# yaml-language-server: $schema=schema.json\nformat: 1\nsection: {section}\nvectors:\n\n")
}

/// The place of the last request; `None` where nothing but the container is asked for.
fn plain(board: &Script) -> (Script, Option<usize>) {
    let asked = board.actions.iter().rposition(|one| matches!(one, Action::Call(_)));
    (board.clone(), asked)
}

/// With an item that lives on, made as soon as there is a container and read in the end.
fn witnessed(board: &Script) -> Result<(Script, Option<usize>), String> {
    let mut asks =
        board.actions.iter().filter_map(|one| if let Action::Call(ask) = one { Some(ask) } else { None });
    if asks.any(|ask| ask.request.operations().iter().any(|operation| operation.id() == WITNESS)) {
        return Err(format!("an item of its own is called `{WITNESS}`"));
    }
    let (mut board, last) = plain(board);
    let ask = |request| Action::Call(Call::plain(request));
    let at = if let Some(at) = tell::stands_after(&board)? {
        at
    } else {
        // Whoever took the one that must be refused refuses this one.
        board.actions.push(ask(Request::CreateContainer(Container::default())));
        board.actions.len()
    };
    let properties = [("ttl".to_owned(), Literal::from(-1))].into();
    let create = Operation::Create(Document { id: WITNESS.into(), properties });
    board.actions.insert(at, ask(Request::Item(create)));
    board.actions.push(ask(Request::Item(Operation::Read(WITNESS.into()))));
    Ok((board, last.map(|last| if at <= last { last.saturating_add(1) } else { last })))
}

/// The edition, where in the other one something else holds.
fn edition(board: &Script, last: Option<usize>, detailed: bool, told: &Told) -> Option<String> {
    let other = match board.edition {
        Edition::Y2020 => Edition::Y2024,
        Edition::Y2024 => Edition::Y2020,
    };
    let elsewhere = tell(&Script { edition: other, ..board.clone() }, last, detailed);
    let same = elsewhere.is_ok_and(|elsewhere| elsewhere.lines == told.lines);
    (!same).then(|| board.edition.to_string())
}

/// The model and the store that was written without it must pass what is written, under every schedule of removal.
fn agreed(vector: &Vector, edition: Edition) -> Result<(), String> {
    let targets: [&dyn Target; 2] = [&Reference::default(), &IndependentStore::default()];
    for target in targets {
        for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
            let mut session =
                target.open(&Opening::new(edition, Some(removal))).map_err(|fault| fault.to_string())?;
            let replayed = replay(vector, session.as_mut()).map_err(|fault| fault.to_string())?;
            if let Verdict::Fail(failure) = replayed.verdict {
                let (name, expected, got) = (target.about().name, failure.expected, failure.got);
                return Err(format!("{name} does not agree with it: {expected} expected, {got} got"));
            }
        }
    }
    Ok(())
}

/// What the last request must answer, for whoever only wants to know that.
///
/// # Errors
///
/// Why no vector can say it.
pub fn expected(board: &Script) -> Result<Expect, String> {
    let (board, last) = plain(board);
    Ok(tell(&board, last, false)?.last)
}
