//! `cosmos-ttl ask`: the cheapest experiment that settles an open clause, as requests and as a program.

use std::collections::BTreeSet;
use std::convert::Infallible;

use clap::ValueEnum as _;
use cosmos_ttl_explore::ask::{Experiment, experiments};
use cosmos_ttl_explore::{Action, Script};
use cosmos_ttl_harness::clauses::{Catalogue, Level};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Body, Operation, Request, Response, Status};
use cosmos_ttl_harness::vector::{Condition, embedded};
use cosmos_ttl_harness::{describe, etags, suggest};
use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_targets::http::curl_commands;
use serde::Serialize;

use super::args::{AskArgs, Client};
use super::estimate::units;
use crate::report::style::{Align, BOLD, RenderOptions, headed_table, styled, wrapped};
use crate::shell::filter::help;
use crate::shell::{CommandError, Format, Output, json, secret};

/// No client can settle the clause.
const UNDECIDED: u8 = 3;
const WHY_NOT: &str = "no client can settle it: a lazy index may lag and need not, so a right answer shows nothing, and no request \
                       tells for how long the index is rebuilt";
const PRICES: &str = "an estimate (a read is 1, as the documents say; a write 6 and a query 3)";
/// So much longer than in the model is each wait: a client's clock is not the service's.
const LONGER_S: u64 = 1;
/// Programs put the etag in its place that was answered last.
const ETAG: &str = "@ETAG@";

/// An open clause, and how it is settled.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Question {
    clause: &'static str,
    says: String,
    service: Option<String>,
    values: [&'static str; 2],
    steps: Vec<Step>,
    requests: usize,
    seconds: u64,
    request_units_estimated: u64,
    answers: Vec<ToldAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsettled: Option<&'static str>,
}

/// A request is as in a log.
#[derive(Serialize)]
#[serde(untagged)]
enum Step {
    Wait { wait: u64 },
    Send(Request),
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ToldAnswer {
    answer: String,
    #[serde(skip)]
    status: String,
    value: &'static str,
    /// Of a container that has removed the item the answer says nothing.
    if_still_stored: bool,
}

pub(super) fn ask(args: &AskArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let (catalogue, experiments) = (embedded()?.catalogue, experiments());
    let of = |(choice, values)| Question::of(&catalogue, choice, values, experiments.get(&choice));
    let Some(id) = &args.clause else {
        let all: Vec<_> = OpenChoice::listed().map(of).collect();
        return Ok(if args.format == Format::Json { json(&all) } else { table(&all, look) }.into());
    };
    let found = OpenChoice::listed().find(|(choice, _)| choice.clause() == id);
    let question = found.map(of).ok_or_else(|| not_open(id, &catalogue))?;
    let text = match args.client.filter(|_| question.unsettled.is_none()) {
        Some(client) => question.program(client)?,
        None if args.format == Format::Json => json(&question),
        None => question.text(look),
    };
    Ok(Output { text, code: if question.unsettled.is_none() { 0 } else { UNDECIDED } })
}

fn not_open(id: &str, catalogue: &Catalogue) -> CommandError {
    let accepted = "`cosmos-ttl ask` lists the open clauses, `cosmos-ttl explain` explains every clause";
    if catalogue.get(id).is_some() {
        return CommandError::usage(format!("`{id}` leaves nothing open"), accepted);
    }
    let open = catalogue.clauses().filter(|clause| clause.level == Level::Open);
    let guesses = suggest::question(&suggest::suggest(id, open.map(|clause| clause.id.as_str())));
    CommandError::usage(
        format!("no open clause is called `{}`", secret::shown(id)),
        help(&[&guesses, accepted]),
    )
}

fn table(questions: &[Question], look: RenderOptions) -> String {
    use Align::{Left, Right};
    let numbers = ["requests", "seconds", "request units"].map(|name| (name, Right));
    let columns = [&numbers[..], &[("clause", Left), ("values", Left)]].concat();
    let rows = questions.iter().map(|one| {
        let cost = [one.requests as u64, one.seconds, one.request_units_estimated];
        let values = one.values.join(" or ");
        let (cost, values) = match one.unsettled {
            None => (cost.map(|number| number.to_string()), values),
            Some(_) => (["-"; 3].map(str::to_owned), values + ": no client can settle it"),
        };
        cost.into_iter().chain([one.clause.to_owned(), values]).collect()
    });
    let lines = headed_table(&columns, rows.collect(), look.table_width);
    format!("{}\n\nrequest units are {PRICES}\nnext: `cosmos-ttl ask CLAUSE`\n", lines.join("\n"))
}

impl Question {
    fn of(
        catalogue: &Catalogue,
        choice: OpenChoice,
        values: [&'static str; 2],
        experiment: Option<&Experiment>,
    ) -> Self {
        let clause = catalogue.get(choice.clause());
        let steps = experiment.map_or_else(Vec::new, |one| steps(&one.script));
        let answers = experiment.into_iter().flat_map(|one| one.answers.iter().zip(values));
        Self {
            clause: choice.clause(),
            says: clause.map_or_else(String::new, |clause| clause.says.clone()),
            service: clause.and_then(|clause| clause.service.clone()),
            values,
            requests: steps.iter().filter_map(Step::request).count(),
            seconds: steps.iter().map(Step::seconds).sum(),
            request_units_estimated: steps.iter().filter_map(Step::request).map(units).sum(),
            steps,
            answers: answers
                .map(|(one, value)| ToldAnswer::new(&one.response, value, one.or_removed))
                .collect(),
            unsettled: experiment.is_none().then_some(WHY_NOT),
        }
    }

    fn text(&self, look: RenderOptions) -> String {
        let known = self.service.as_deref().unwrap_or("Nothing is known.");
        let mut lines = vec![
            styled(BOLD, self.clause),
            self.says.clone(),
            format!("Of the service: {known}"),
            String::new(),
        ];
        if let Some(why) = self.unsettled {
            lines.push(why.into());
        } else {
            lines.push(styled(BOLD, "in a new container"));
            lines.extend(self.steps.iter().map(|step| format!("  {}", step.told())));
            lines.extend([String::new(), styled(BOLD, "the last answer")]);
            lines.extend(self.answers.iter().map(|one| format!("  {}", one.told())));
            let clients = Client::value_variants().iter().filter(|client| self.unsent(**client).is_none());
            let clients =
                clients.filter_map(|client| Some(client.to_possible_value()?.get_name().to_owned()));
            lines.extend([
                String::new(),
                format!(
                    "requests: {}, and 2 for the database; seconds: {}; request units: about {}, {PRICES}",
                    self.requests, self.seconds, self.request_units_estimated
                ),
                "to clean up: delete the container; the programs delete their database".into(),
                format!("as a program: `cosmos-ttl ask {} --client {}`", self.clause, clients.collect::<Vec<_>>().join("|")),
                "next: `cosmos-ttl judge --sole-writer --evidence ask.log`, the log of that program, names the value".into(),
            ]);
        }
        let lines = lines.iter().map(|line| wrapped(line, look.width, "  "));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }

    fn program(&self, client: Client) -> Result<String, CommandError> {
        if let Some(why) = self.unsent(client) {
            return Err(CommandError::usage(why, "name another client: `--client curl` sends everything"));
        }
        let [no, yes] = self.values;
        let title = format!("Asks an account of Azure Cosmos DB whether `{}` is {no} or {yes}.", self.clause);
        let template = match client {
            Client::Python => include_str!("ask/client.py"),
            Client::Javascript => include_str!("ask/client.mjs"),
            Client::Curl => include_str!("ask/client.sh"),
        };
        let text = template.replace("@TITLE@", &title);
        if client != Client::Curl {
            let steps = self.steps.iter().filter_map(|step| serde_json::to_string(step).ok());
            return Ok(text.replace("@STEPS@", &steps.collect::<Vec<_>>().join("\n")));
        }
        let mut requests: Vec<_> =
            self.steps.iter().filter_map(Step::request).map(|one| (one, success(one).to_owned())).collect();
        if let Some((_, expected)) = requests.last_mut() {
            let told: BTreeSet<_> = self.answers.iter().map(|one| &*one.status).collect();
            *expected = Vec::from_iter(told).join("|");
        }
        let mut commands = curl_commands(&requests)?.into_iter();
        let (create, delete) =
            (commands.next().unwrap_or_default(), commands.next_back().unwrap_or_default());
        let steps = self.steps.iter().map(|step| match step {
            Step::Wait { wait } => format!("sleep {wait}"),
            Step::Send(_) => commands.next().unwrap_or_default(),
        });
        let text = text.replace("@STEPS@", &steps.collect::<Vec<_>>().join("\n"));
        let means = self.answers.iter().map(ToldAnswer::told).collect::<Vec<_>>().join("; ");
        Ok(text.replace("@MEANS@", &means).replace("@CREATE@", &create).replace("@DELETE@", &delete))
    }

    /// Why this client cannot send the requests, if it cannot.
    fn unsent(&self, client: Client) -> Option<&'static str> {
        let requests = self.steps.iter().filter_map(Step::request);
        let settings = requests.clone().filter_map(|request| request.container()?.default_ttl.as_ref());
        let own = requests.flat_map(Request::operations).filter_map(|operation| operation.ttl());
        let is_fraction = |value: &Literal| matches!(value.kind(), LiteralKind::WholeAsFraction(_));
        match client {
            Client::Python if settings.clone().any(|value| value.kind() == LiteralKind::Null) => {
                Some("azure-cosmos leaves out a `defaultTtl` that is null")
            }
            Client::Javascript if settings.chain(own).any(is_fraction) => {
                Some("JavaScript writes 10.0 as 10")
            }
            _ => None,
        }
    }
}

/// The status, as a regular expression, with which a request succeeds; each but the last one does.
fn success(request: &Request) -> &'static str {
    match request {
        Request::CreateContainer(_) | Request::Item(Operation::Create(_)) => "201",
        _ => "20[014]",
    }
}

fn steps(script: &Script) -> Vec<Step> {
    let creation = Step::Send(Request::CreateContainer(script.container.clone()));
    let actions = script.actions.iter().map(|action| match action {
        Action::Wait(seconds) => Step::Wait { wait: seconds + LONGER_S },
        Action::Call(call) => {
            let Ok(sent) =
                etags::sent(&call.request, &call.conditions, |_, _| Ok::<_, Infallible>(ETAG.into()));
            Step::Send(sent.into_owned())
        }
    });
    [creation].into_iter().chain(actions).collect()
}

impl Step {
    fn request(&self) -> Option<&Request> {
        if let Self::Send(request) = self { Some(request) } else { None }
    }

    fn seconds(&self) -> u64 {
        if let Self::Wait { wait } = self { *wait } else { 0 }
    }

    fn told(&self) -> String {
        let Self::Send(request) = self else { return format!("wait {} s", self.seconds()) };
        let has_etag = request.operations().iter().any(|operation| operation.etag().is_some());
        describe::request(request, &has_etag.then_some((0, Condition::Seen)).into_iter().collect::<Vec<_>>())
    }
}

impl ToldAnswer {
    fn new(response: &Response, value: &'static str, if_still_stored: bool) -> Self {
        let known = Status::WORDS.iter().find(|(status, ..)| *status == response.status);
        let answer = match (&response.body, known) {
            (Body::Count(count), _) => format!("count {count}"),
            (_, Some((_, word, code))) => format!("{code} {word}"),
            _ => response.status.to_string(),
        };
        let status = known.map_or_else(String::new, |(.., code)| code.to_string());
        Self { answer, status, value, if_still_stored }
    }

    fn told(&self) -> String {
        let caveat = if self.if_still_stored { ", if the item was still stored" } else { "" };
        format!("{} means {}{caveat}", self.answer, self.value)
    }
}
