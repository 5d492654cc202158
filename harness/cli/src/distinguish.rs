//! `cosmos-ttl distinguish`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;

use super::args::DistinguishArgs;
use super::target::{Interrupt, TargetName, watch};
use crate::shell::{CommandError, Format, Output, json, suite};
use cosmos_ttl_explore::distinguish::{Distinction, Searched, distinguish as search_difference};
use cosmos_ttl_explore::{Exchange, ExploreOptions};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::{plain, visible};
use cosmos_ttl_harness::target::{Edition, Removal, Response, Target};
use cosmos_ttl_process::target::{ProcessConfig, ProcessTarget};

pub(super) fn distinguish(args: &DistinguishArgs) -> Result<Output, CommandError> {
    let suite = suite(&args.vectors)?;
    let a = TargetName::parse_included(&args.a)?;
    let b = match &args.b {
        Some(b) => TargetName::parse_included(b)?,
        None => TargetName::Process(args.command.clone()),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let running = watch(&stop, Interrupt::default())?;
    let process = match &b {
        TargetName::Process(command) => {
            let (stop, timeout) = (Arc::clone(&stop), Duration::from_secs(args.timeout));
            Some(ProcessTarget::start(ProcessConfig {
                stop,
                timeout,
                running,
                ..ProcessConfig::new(command)
            })?)
        }
        _ => None,
    };
    let (one, other) = (a.included(), b.included());
    let other = other.as_deref().or(process.as_ref().map(|process| process as &dyn Target));
    let Some((one, other)) = one.as_deref().zip(other) else {
        let help = "name `reference`, `mutant:NAME` or a command";
        return Err(CommandError::usage("this target cannot be compared", help));
    };
    let DistinguishArgs { seed, steps, ignore_open, .. } = *args;
    let options = ExploreOptions { seed, steps, stop: &stop };
    let (found, searched) = search_difference([one, other], &suite.vectors, &options, ignore_open)?;
    if let Some(process) = &process {
        process.bye()?;
    }
    let names = [a.words(), b.words()];
    let text = match args.format {
        Format::Text => text(&names, found.as_ref(), &searched, ignore_open),
        Format::Json => {
            let difference = found.as_ref().map(DistinctionFound::of);
            json(&DistinctionReport { format: FORMAT, targets: &names, difference, searched: &searched })
        }
    };
    Ok(Output { text, code: u8::from(found.is_some()) })
}

/// A difference for people: the script, and at its end both answers.
fn text(names: &[String; 2], found: Option<&Distinction>, searched: &Searched, ignore_open: bool) -> String {
    let [a, b] = names.each_ref().map(|name| plain(name));
    let Searched { vectors, requests, shrinking } = searched;
    let tried = if *shrinking > 0 { format!(", {shrinking} simplifications") } else { String::new() };
    let searched = format!("the requests of {vectors} vectors, {requests} requests by chance{tried}");
    let Some(found) = found else {
        let but = if ignore_open { ", but perhaps in what is open," } else { "" };
        return format!("no difference found between {a} and {b}{but} within {searched}\n");
    };
    let removal = found.removal.map(|removal| format!(", removal {removal}"));
    let edition = Some(found.script.edition).filter(|edition| *edition != Edition::default());
    let edition = edition.map(|edition| format!(", edition {edition}"));
    let under = removal.into_iter().chain(edition).collect::<String>();
    let mut lines = vec![format!("{a} and {b} differ at request {}{under}\n", found.exchanges.len())];
    lines.extend(steps(found, [&a, &b]));
    lines.push(String::new());
    if found.is_open {
        let clause = found.clause.as_ref().map_or_else(String::new, |clause| format!(" ({clause})"));
        lines.push(format!("the model allows both answers: an open clause leaves it to the target{clause}"));
    }
    let shrunk = if found.is_shrunk {
        "shrunk: no single simplification keeps a difference"
    } else {
        "shrunk as far as the tries went"
    };
    lines.push(format!("{shrunk}; from {}", visible(&found.found_in)));
    lines.push(format!("searched: {searched}"));
    lines.join("\n") + "\n"
}

fn steps(found: &Distinction, [a, b]: [&str; 2]) -> Vec<String> {
    let last = found.exchanges.len();
    let steps = (1..).zip(&found.exchanges).map(|(number, (exchange, [one, other]))| {
        let answered = if number == last {
            format!("{a}: {}; {b}: {}", whole(one), whole(other))
        } else {
            plain(&describe::response(one))
        };
        (exchange.at_s, asked(exchange), answered)
    });
    describe::lines(steps).into_iter().map(|line| format!("  {line}")).collect()
}

fn asked(exchange: &Exchange) -> String {
    visible(&describe::request(&exchange.call.request, &exchange.call.conditions))
}

/// An answer in words, its item included, since that may be what differs.
fn whole(response: &Response) -> String {
    plain(&describe::response_with_item(response))
}

const FORMAT: u32 = 2;

#[derive(Serialize)]
struct DistinctionReport<'a> {
    format: u32,
    targets: &'a [String; 2],
    difference: Option<DistinctionFound<'a>>,
    searched: &'a Searched,
}

#[derive(Serialize)]
struct DistinctionFound<'a> {
    edition: Edition,
    removal: Option<Removal>,
    open: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<&'a str>,
    shrunk: bool,
    from: &'a str,
    steps: Vec<DistinctionStep>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct DistinctionStep {
    at_s: u64,
    asked: String,
    answered: [String; 2],
}

impl<'a> DistinctionFound<'a> {
    fn of(found: &'a Distinction) -> Self {
        let steps = found.exchanges.iter().map(|(exchange, answers)| DistinctionStep {
            at_s: exchange.at_s,
            asked: asked(exchange),
            answered: answers.each_ref().map(whole),
        });
        Self {
            edition: found.script.edition,
            removal: found.removal,
            open: found.is_open,
            clause: found.clause.as_deref(),
            shrunk: found.is_shrunk,
            from: &found.found_in,
            steps: steps.collect(),
        }
    }
}
