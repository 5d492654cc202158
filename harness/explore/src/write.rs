//! Writes a script as a vector that is ready to be added.
//!
//! The expectations of every step are derived from the model and from every possible hidden state; nothing that a target
//! responded goes into it. The vector was loaded as strictly as any other, and the model passed it. A script that the format
//! cannot say is refused with the reason.

mod annotate;
mod clauses;

use std::collections::BTreeSet;

use crate::reference::Reference;
use cosmos_ttl_harness::clauses::{Level, Observe};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::replay::replay;
use cosmos_ttl_harness::target::{Container, Document, Operation, PurgedTarget, Request};
use cosmos_ttl_harness::vector::{Expect, Suite, Vector, render};
use cosmos_ttl_harness::verdict::Verdict;

pub(crate) use self::clauses::{of_allowed, of_life, of_operation, of_refused, of_settings};

use self::annotate::{Annotated, annotate, annotate_all};
use super::{Action, Call, Script};

/// The item that lives on.
pub const WITNESS: &str = "witness";

/// A vector that is ready to be added.
#[derive(Clone, Debug)]
pub struct WrittenVector {
    /// The vector alone, as it is in the file.
    pub text: String,
    /// The file with it at the end.
    pub file: String,
    /// The same, loaded; nothing in the suite has its name, and its file has the name of its section.
    pub vector: Vector,
}

/// Writes a script as a vector about these clauses and those that its last request shows.
///
/// There are several forms: with a witness or without one, with the details of the last answer or without. The first form
/// is taken for which `fails` returns `true`.
///
/// # Errors
///
/// Why no vector can say it.
pub fn write(
    script: &Script,
    suite: &Suite,
    about: &[&str],
    fails: &mut dyn FnMut(&Vector) -> bool,
) -> Result<WrittenVector, String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (witness, detailed) in [(false, false), (false, true), (true, false), (true, true)] {
        match written(script, suite, about, witness, detailed) {
            Ok(written) if fails(&written.vector) => return Ok(written),
            told => {
                let why = told.err().unwrap_or_else(|| PASSES.into());
                let form = form(witness, detailed);
                match reasons.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, forms)) => forms.push(form),
                    None => reasons.push((why, vec![form])),
                }
            }
        }
    }
    let told = |(why, forms): (String, Vec<String>)| match forms.len() {
        4 => why,
        _ => format!("{}: {why}", forms.join(", ")),
    };
    Err(reasons.into_iter().map(told).collect::<Vec<_>>().join("; "))
}

/// Why a vector that fits the format is not written.
pub(super) const PASSES: &str =
    "the target answers it as expected, so what differs is nothing that this form of a vector asks for";

/// The words for one form of a vector.
fn form(witness: bool, detailed: bool) -> String {
    let witness = if witness { "with a witness" } else { "without a witness" };
    format!("{witness}{}", if detailed { " and with details" } else { "" })
}

/// Writes a whole script as a vector with this id and this title: each step expects an answer and shows clauses of its own.
/// Requests that no vector can say are left out.
///
/// # Errors
///
/// Why no vector can say it.
pub fn write_whole(script: &Script, suite: &Suite, id: &str, title: &str) -> Result<Vector, String> {
    let whole = |script: &Script| {
        let mut annotated = annotate_all(script);
        let binds = |id: &&str| suite.catalogue.get(id).is_some_and(|clause| clause.level != Level::Should);
        annotated.clauses.retain(binds);
        // What the last request shows comes first, and names the section.
        let last: Vec<&str> = annotated.shown.iter().copied().filter(binds).collect();
        let (_, vector) = assembled(suite, id, title, &last, &annotated)?;
        Ok(vector)
    };
    whole(script).or_else(|_: String| whole(&witnessed(script)?.0))
}

/// Writes it in one of its forms.
fn written(
    script: &Script,
    suite: &Suite,
    about: &[&str],
    witness: bool,
    detailed: bool,
) -> Result<WrittenVector, String> {
    let (played, last) = if witness { witnessed(script)? } else { (script.clone(), last_call(script)) };
    let annotated = annotate(&played, last, detailed)?;
    let title = title(script, annotated.last.as_ref());
    let (text, vector) = assembled(suite, &id(script), &title, about, &annotated)?;
    let known = suite.vectors.iter().find(|one| one.section == vector.section);
    let before = known.map_or_else(|| head(&vector.section), |known| known.source.text.clone());
    let file = format!("{}\n\n{text}\n", before.trim_end());
    loaded(suite, &vector.section, &format!("{file}\n"))?;
    Ok(WrittenVector { text, file, vector })
}

/// Makes a vector of an annotated script, and its text.
fn assembled(
    suite: &Suite,
    id: &str,
    title: &str,
    about: &[&str],
    annotated: &Annotated,
) -> Result<(String, Vector), String> {
    // The clauses are the suite's own words.
    let mut clauses: Vec<&str> = Vec::new();
    for clause in about.iter().chain(&annotated.clauses).filter_map(|id| suite.catalogue.get(id)) {
        if clause.observe == Observe::Client && !clauses.contains(&clause.id.as_str()) {
            clauses.push(&clause.id);
        }
    }
    let Some(first) = clauses.first() else { return Err("it shows no clause that a client can see".into()) };
    let mut sections = suite.catalogue.sections.iter();
    let section = sections.find(|section| section.clauses.iter().any(|clause| clause.id == *first));
    let section = section.ok_or_else(|| format!("`{first}` stands in no section"))?.name.clone();
    let numbered = (2_u32..).map(|number| format!("{id}-{number}"));
    let mut ids = [id.to_owned()].into_iter().chain(numbered);
    let id = ids.find(|id| suite.get(&format!("{section}/{id}")).is_none()).unwrap_or_default();
    let steps = &annotated.lines()?;
    let text = render::VectorText { id: &id, title, clauses: &clauses, steps };
    let text = render::vector(&text).join("\n");
    let vector = loaded(suite, &section, &format!("{}{text}\n", head(&section)))?;
    let read = vector.steps.iter().map(|step| (step.at_s, &step.request, &step.conditions));
    let asked = annotated.steps.iter().map(|step| (step.at_s, &step.request, &step.conditions));
    if !asked.eq(read) {
        return Err("the format reads other requests in it than were made".into());
    }
    agreed(&vector)?;
    Ok((text, vector))
}

/// Returns the last vector of a file, which has the name of its section.
fn loaded(suite: &Suite, section: &str, file: &str) -> Result<Vector, String> {
    let vectors = suite.read_file(&format!("{section}.yaml"), file.to_owned());
    vectors.map_err(|flaw| flaw.what.clone())?.pop().ok_or_else(|| "nothing was written".to_owned())
}

fn head(section: &str) -> String {
    format!("{}\n", render::head("schema.json", "", section))
}

/// The place of the last request; `None` where nothing but the container is asked for.
fn last_call(script: &Script) -> Option<usize> {
    script.actions.iter().rposition(|action| action.call().is_some())
}

/// With an item that lives on, created as soon as there is a container and read in the end.
fn witnessed(script: &Script) -> Result<(Script, Option<usize>), String> {
    let mut operations = script.calls().flat_map(|call| call.request.operations());
    if operations.any(|operation| operation.id() == WITNESS) {
        return Err(format!("an item of its own is called `{WITNESS}`"));
    }
    let last = last_call(script);
    let mut script = script.clone();
    let call = |request| Action::Call(Call::plain(request));
    let at = annotate(&script, None, false)?.exists_after.unwrap_or_else(|| {
        // A target that took the one that must be refused refuses this one.
        script.actions.push(call(Request::CreateContainer(Container::default())));
        script.actions.len()
    });
    let properties = [("ttl".to_owned(), Literal::from(-1))].into();
    let create = Operation::Create(Document { id: WITNESS.into(), properties });
    script.actions.insert(at, call(Request::Item(create)));
    script.actions.push(call(Request::Item(Operation::Read(WITNESS.into()))));
    Ok((script, last.map(|last| last + usize::from(at <= last))))
}

/// The model must pass what is written, under every schedule of removal.
fn agreed(vector: &Vector) -> Result<(), String> {
    let reference = Reference::default();
    let target = PurgedTarget::of(&reference);
    for removal in target.removals() {
        let session = target.open(removal);
        let mut session = session.map_err(|fault| fault.to_string())?;
        let replayed = replay(vector, session.as_mut()).map_err(|fault| fault.to_string())?;
        if let Verdict::Fail(failure) = replayed.verdict {
            let (expected, got) = (failure.expected, failure.got);
            return Err(format!("the model does not agree with it: {expected} expected, {got} got"));
        }
    }
    Ok(())
}

/// Returns the clauses that the last request shows; `None` where no vector can say what it must answer.
pub fn shown_clauses(script: &Script) -> Option<BTreeSet<&'static str>> {
    annotate(script, last_call(script), false).ok().map(|annotated| annotated.shown)
}

/// Returns whether an item's last write was a patch before the last request.
pub(super) fn has_patched_item(script: &Script) -> bool {
    annotate(script, last_call(script), false).is_ok_and(|annotated| annotated.has_patched_item())
}

/// The actions in words, the last one apart from those before it.
fn phrases(script: &Script) -> (Vec<String>, String) {
    let phrase = |action: &Action| match action {
        Action::Wait(seconds) => format!("{seconds} s"),
        Action::Call(call) => describe::phrase(&call.request, &call.conditions),
    };
    let mut all: Vec<String> = script.actions.iter().map(phrase).collect();
    let last = all.pop().unwrap_or_else(|| describe::phrase(&script.creation().request, &[]));
    (all, last)
}

/// Returns an id for the script: the last request comes first, because the script is about it.
fn id(script: &Script) -> String {
    /// No id of ours is longer, a number at its end aside.
    const LONGEST: usize = 72;
    let (before, last) = phrases(script);
    let mut words = vec![slug(&last)];
    if !before.is_empty() {
        words.push("after".into());
        words.extend(before.iter().map(|phrase| slug(phrase)));
    }
    if !script.actions.is_empty() {
        words.push(format!("under-{}", slug(&describe::settings_phrase(&script.container))));
    }
    let id: String = words.join("-").chars().take(LONGEST).collect();
    id.trim_matches('-').to_owned()
}

/// Returns a title: what must hold, as a sentence.
fn title(script: &Script, expect: Option<&Expect>) -> String {
    const MOST: usize = 4;
    let (before, last) = phrases(script);
    let told = match before.as_slice() {
        [] => "At once".into(),
        [.., latest] if before.len() > MOST => {
            format!("After {} moves, the last of them {latest}", before.len())
        }
        before => format!("After {}", before.join(", ")),
    };
    let must: Vec<String> = expect
        .into_iter()
        .flat_map(Expect::outcomes)
        .filter_map(|one| render::expected_response(one, &[]).ok())
        .collect();
    let under = match script.actions.as_slice() {
        [] => String::new(),
        _ => format!(" under {}", describe::settings_phrase(&script.container)),
    };
    visible(format!("{told}, {last}{under} answers {}", must.join(" or ")).trim_end_matches('.'))
}

fn slug(text: &str) -> String {
    let minus = text.replace(" -", " minus ");
    let words = minus.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}
