//! `cargo lab ablation`: which vectors and which laws notice that a clause is missing.
//!
//! For each clause there is the model as it would be without that sentence. The vectors that it fails are
//! the clause's witnesses, and so are the laws of the checker that it breaks. Where a clause leaves a choice, a reader who
//! missed it would insist on one answer: there the vectors are read so, and a right store that chooses the other one
//! must fail them.

mod translation;

use std::borrow::Cow;
use std::collections::BTreeMap;

use cosmos_ttl::shell::{CommandError, Format, Output, filter, json};
use cosmos_ttl_checker::ablation::{self, ModelAblation};
use cosmos_ttl_checker::{CheckScope, broken_by};
use cosmos_ttl_harness::clauses::{Clause, Observe, Section};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{About, Fault, Opening, Removal, Session, Target};
use cosmos_ttl_harness::vector::{Expect, Suite, Vector, embedded};
use cosmos_ttl_harness::verdict::{Failure, Verdict};
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_model::semantics::Shipped;
use cosmos_ttl_reference::{ModelSession, Reference};
use cosmos_ttl_report::style::Align::{Left, Right};
use cosmos_ttl_report::style::{BOLD, DIM, RenderOptions, styled, wrapped};
use serde::{Serialize, Serializer};
use wildmatch::WildMatch;

use self::translation::{TRANSLATIONS, TranslatedSession, TranslationAblation};
use crate::args::AblationArgs;
use crate::report_text::{self, grouped, takes_none};
use crate::scheduled::Scheduled;

/// A law of the checker: its sentence, and in how many of the checked worlds it is broken.
pub type Laws = BTreeMap<&'static str, usize>;

/// The vectors and properties that fail without a clause.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AblationFindings<'a> {
    /// The clause.
    #[serde(serialize_with = "clause_id")]
    pub clause: &'a Clause,
    /// The behaviour without it, as a sentence; `None` if no ablation is defined.
    pub instead: Option<String>,
    /// Whether what must notice does: a vector that cites it where a client can see it, or else a law that states it.
    pub enough: bool,
    /// Of the vectors that cite it, the one with the fewest steps, and with the first name among those.
    pub shortest: Option<&'a str>,
    /// How many steps that one has.
    #[serde(skip)]
    pub steps: usize,
    /// The vectors that cite it and fail.
    pub citing: Vec<&'a str>,
    /// The other vectors that fail.
    pub others: Vec<&'a str>,
    /// The laws that state it and are broken.
    pub own_laws: Laws,
    /// The other laws that are broken.
    pub other_laws: Laws,
}

fn clause_id<S: Serializer>(clause: &Clause, serializer: S) -> Result<S::Ok, S::Error> {
    clause.id.serialize(serializer)
}

impl AblationFindings<'_> {
    /// Returns what is missing, in a sentence.
    pub fn missing(&self) -> Option<String> {
        let id = &self.clause.id;
        let Some(instead) = &self.instead else {
            return (!self.enough).then(|| format!("no ablation is defined for {id}"));
        };
        let what = match self.clause.observe {
            Observe::Client => "no vector that cites it fails",
            Observe::Model => "no law of the checker that states it is broken",
        };
        (!self.enough).then(|| format!("without {id}, {instead}; {what}"))
    }
}

/// Takes these clauses out, each alone.
///
/// # Errors
///
/// [`Fault::Misuse`] only.
pub fn find<'a>(suite: &'a Suite, clauses: &[&'a Clause]) -> Result<Vec<AblationFindings<'a>>, Fault> {
    parallel::map(clauses, |clause| of(suite, clause))
}

fn of<'a>(suite: &'a Suite, clause: &'a Clause) -> Result<AblationFindings<'a>, Fault> {
    let ablation = Ablation::of(&clause.id);
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();
    let failures =
        ablation.as_ref().map_or(Ok(Vec::new()), |one| one.failures(&vectors, &every_schedule()))?;
    let failed = failures.into_iter().map(|(vector, _)| vector);
    let (citing, others): (Vec<&Vector>, Vec<_>) =
        failed.partition(|vector| vector.clauses.contains(&clause.id));
    let (mut own_laws, mut other_laws) = (Laws::new(), Laws::new());
    if let Some(model) = ablation.as_ref().and_then(|ablation| ablation.model) {
        for (_, law) in broken_by(*model, CheckScope::Small, |_| true).failures() {
            let own = law.clauses.contains(&clause.id.as_str());
            let laws = if own { &mut own_laws } else { &mut other_laws };
            *laws.entry(law.sentence).or_default() += 1;
        }
    }
    let shortest = citing.iter().copied().min_by_key(|vector| (vector.steps.len(), &vector.name));
    let names = |vectors: &[&'a Vector]| vectors.iter().map(|vector| vector.name.as_str()).collect();
    Ok(AblationFindings {
        clause,
        instead: ablation.map(|ablation| ablation.instead().into()),
        enough: match clause.observe {
            Observe::Client => !citing.is_empty(),
            Observe::Model => !own_laws.is_empty(),
        },
        shortest: shortest.map(|vector| vector.name.as_str()),
        steps: shortest.map_or(0, |vector| vector.steps.len()),
        citing: names(&citing),
        others: names(&others),
        own_laws,
        other_laws,
    })
}

/// The model, or the translation to it, without one clause.
#[derive(Clone, Debug)]
pub struct Ablation {
    model: Option<&'static ModelAblation>,
    translation: Option<&'static TranslationAblation>,
}

impl Ablation {
    /// Returns the ablation of this clause; `None` where nothing says what would be done instead.
    pub fn of(clause: &str) -> Option<Self> {
        let model = ablation::all().find(|one| one.clause == clause);
        let translation = TRANSLATIONS.iter().find(|one| one.clause == clause);
        (model.is_some() || translation.is_some()).then_some(Self { model, translation })
    }

    /// Returns the clauses that can be taken out.
    pub fn clauses() -> impl Iterator<Item = &'static str> {
        let of_translation = TRANSLATIONS.iter().map(|one| one.clause);
        let of_model = || ablation::all().map(|one| one.clause);
        of_model().chain(of_translation.filter(move |id| !of_model().any(|other| other == *id)))
    }

    /// Returns those of these vectors that fail without the clause under any of these schedules, and how, in their order.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn failures<'a>(
        &self,
        vectors: &[&'a Vector],
        removals: &[Removal],
    ) -> Result<Vec<(&'a Vector, Failure)>, Fault> {
        let narrowed: Vec<_> = vectors.iter().map(|vector| self.specialised(vector)).collect();
        let target = Scheduled { target: self, removals: removals.to_vec() };
        let run = run_virtual(&target, &narrowed.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
        let failed = run.results.into_iter().zip(vectors);
        let failed = failed.filter_map(|(result, vector)| match result.verdict {
            Verdict::Fail(failure) => Some((*vector, failure)),
            _ => None,
        });
        Ok(failed.collect())
    }

    fn instead(&self) -> &'static str {
        let of_model = self.model.map(|one| one.instead);
        of_model.or(self.translation.map(|one| one.instead)).unwrap_or_default()
    }

    /// Returns the clause that leaves a choice, and the only value of it that is insisted on.
    pub fn insists(&self) -> Option<(&'static str, &'static str)> {
        match (self.model, self.translation) {
            (Some(model), _) => Some((model.clause, model.insists?.on)),
            (None, translation) => translation.and_then(|one| Some((one.clause, one.insists?))),
        }
    }

    /// The vector, with only the value that is insisted on where it expects one of several.
    fn specialised<'a>(&self, vector: &'a Vector) -> Cow<'a, Vector> {
        let Some((clause, value)) = self.insists() else { return Cow::Borrowed(vector) };
        let mut vector = vector.clone();
        for step in &mut vector.steps {
            if let Expect::Open { clause: of, outcomes, .. } = &mut step.expect
                && of == clause
            {
                outcomes.retain(|(one, _)| one == value);
            }
        }
        Cow::Owned(vector)
    }
}

/// Returns every schedule of removal.
pub(crate) fn every_schedule() -> Vec<Removal> {
    Reference::default().about().removals
}

impl Target for Ablation {
    fn about(&self) -> About {
        About { name: "the model without a clause".into(), ..Reference::default().about() }
    }

    /// Opens a session that allows only one value: a correct store that chooses another one must fail.
    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let usual = Interpretation::default();
        let Self { model, translation } = *self;
        let session: Box<dyn Session> = match model {
            None => Box::new(ModelSession::new(Shipped, usual, *opening)),
            Some(model) => match model.insists {
                Some(insists) => Box::new(ModelSession::new(Shipped, insists.other(), *opening)),
                None => Box::new(ModelSession::new(*model, usual, *opening)),
            },
        };
        Ok(match translation {
            Some(translation) => Box::new(TranslatedSession::new(translation, session)),
            None => session,
        })
    }
}

/// More clauses than these are told as a table.
const MOST_AT_LENGTH: usize = 5;

pub(crate) fn ablation(args: &AblationArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?,
        None => embedded()?,
    };
    let clauses = pick(&suite, &args.clauses)?;
    let found = find(&suite, &clauses)?;
    let missing: Vec<_> = found.iter().filter_map(AblationFindings::missing).collect();
    let code = u8::from(!missing.is_empty());
    let lines = match args.format {
        Format::Json => {
            let text = json(&AblationPage { format: 1, clauses: &found, missing: &missing });
            return Ok(Output { text, code });
        }
        Format::Text if found.len() <= MOST_AT_LENGTH => {
            found.iter().flat_map(|one| entry(one, look)).collect()
        }
        Format::Text => findings_table(&suite, &found, look),
    };
    let text = lines.into_iter().chain(ending(found.len(), &missing, look)).collect::<Vec<_>>().join("\n");
    Ok(Output { text: text + "\n", code })
}

#[derive(Serialize)]
struct AblationPage<'a> {
    format: u32,
    clauses: &'a [AblationFindings<'a>],
    missing: &'a [String],
}

const ACCEPTED: &str = "\
name a clause or a section; `*` stands for any characters
`cosmos-ttl list --clauses` shows them";

fn pick<'a>(suite: &'a Suite, words: &[String]) -> Result<Vec<&'a Clause>, CommandError> {
    let sections = || suite.catalogue.sections.iter();
    let clauses = sections().flat_map(|section| section.clauses.iter().map(move |clause| (section, clause)));
    let takes = |word: &str, (section, clause): (&Section, &Clause)| {
        let glob = WildMatch::new(word);
        glob.matches(&section.name) || glob.matches(&clause.id)
    };
    let names = sections().map(|section| section.name.as_str());
    let known = names.chain(suite.catalogue.clauses().map(|clause| clause.id.as_str()));
    let all: Vec<_> = clauses.collect();
    let picked =
        filter::pick(&all, words, takes, |word| takes_none(word, ["is no clause", ACCEPTED], known))?;
    Ok(picked.into_iter().map(|(_, clause)| clause).collect())
}

/// One line a clause.
fn findings_table(suite: &Suite, found: &[AblationFindings<'_>], look: RenderOptions) -> Vec<String> {
    let groups = suite.catalogue.sections.iter().map(|section| {
        let own =
            |one: &&AblationFindings<'_>| section.clauses.iter().any(|clause| clause.id == one.clause.id);
        (section.name.as_str(), found.iter().filter(own).map(row).collect())
    });
    let numbers = ["citing", "others", "laws"].map(|name| (name, Right));
    let columns = [&[("without", Left)], &numbers[..], &[("the shortest that cites it", Left)]].concat();
    let mut lines = grouped(&columns, groups, look);
    lines.push(String::new());
    lines
}

fn row(one: &AblationFindings<'_>) -> Vec<String> {
    let laws = one.own_laws.len() + one.other_laws.len();
    let shortest = match (one.shortest, one.enough) {
        (Some(name), _) => with_steps(name, one.steps),
        (None, true) => "– (a law states it)".into(),
        (None, false) => "NONE".into(),
    };
    let counts = [one.citing.len(), one.others.len(), laws].map(|count| count.to_string());
    [format!("  {}", one.clause.id)].into_iter().chain(counts).chain([shortest]).collect()
}

fn entry(one: &AblationFindings<'_>, look: RenderOptions) -> Vec<String> {
    let shortest = one.shortest.map(|name| format!(", the shortest {}", with_steps(name, one.steps)));
    let mut texts = vec![one.clause.says.clone()];
    texts.extend(one.instead.iter().map(|instead| format!("without it: {instead}")));
    texts
        .push(format!("vectors that cite it and fail: {}", some(&one.citing, &shortest.unwrap_or_default())));
    texts.push(format!("others that fail: {}", some(&one.others, "")));
    texts.push(format!("laws that state it and break: {}", one.own_laws.len()));
    texts.extend(one.own_laws.keys().map(|law| format!("  {law}")));
    texts.push(format!("other laws that break: {}", first_laws(&one.other_laws)));
    let lines = texts.iter().map(|text| wrapped(&format!("  {text}"), look.width, "    "));
    [styled(BOLD, &one.clause.id)].into_iter().chain(lines).chain([String::new()]).collect()
}

fn some(vectors: &[&str], shortest: &str) -> String {
    const MOST: usize = 5;
    if vectors.is_empty() {
        return "none".into();
    }
    let names = vectors.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    let more = vectors.len().saturating_sub(MOST);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{shortest}: {names}{more}", vectors.len())
}

fn first_laws(laws: &Laws) -> String {
    let first = laws.keys().next();
    first.map_or("none".into(), |first| format!("{}, as: {first}", laws.len()))
}

fn with_steps(name: &str, steps: usize) -> String {
    format!("{name} ({steps} requests)")
}

fn ending(all: usize, missing: &[String], look: RenderOptions) -> Vec<String> {
    let have = all - missing.len();
    let mut lines = report_text::ending(missing, &format!("{have} of {all} clauses have a witness"), look);
    if missing.is_empty() && all > 1 {
        let why = "a vector that cites them and fails without them, or a law where no client can see them";
        lines.push(styled(DIM, wrapped(why, look.width, "")));
    }
    lines
}
