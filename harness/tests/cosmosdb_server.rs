//! Every vector against a real server that has no time to live at all: npm `@vercel/cosmosdb-server`.
//!
//! What it gets wrong is known vector by vector, in `.ci/cosmosdb-server/verdicts.tsv`. Each failure must be for one of
//! three reasons, each pass must be of a vector that asks for neither expiry nor refusal, and nothing else may be said of
//! any vector. `.ci/cosmosdb-server/start` starts the server and prints the URL that goes into `COSMOS_TTL_SERVER_URL`;
//! without it the test says that it was not run.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test, in which a real server takes its time"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::run::VectorResult;
use cosmos_ttl_harness::target::{Request, Status};
use cosmos_ttl_harness::targets::http::{HttpConfig, HttpTarget};
use cosmos_ttl_harness::vector::{Expect, Outcome, Vector, embedded};
use cosmos_ttl_harness::verdict::{Failure, Verdict};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

const VARIABLE: &str = "COSMOS_TTL_SERVER_URL";

fn main() -> ExitCode {
    let trials = vec![
        trial("every_verdict_is_the_known_one", every_verdict_is_the_known_one),
        #[cfg(unix)]
        trial("nothing_is_left_behind_by_an_interrupted_run", nothing_is_left_behind_by_an_interrupted_run),
    ];
    // One after the other: the second looks at what all runs left behind.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: &str, test: fn(&str) -> Result<(), Failed>) -> Trial {
    Trial::ignorable_test(name, move || match env::var(VARIABLE) {
        Ok(url) => test(&url).map(|()| Completion::Completed),
        Err(_) => {
            Ok(Completion::ignored_with(format!("{VARIABLE} is not set; see .ci/cosmosdb-server/start")))
        }
    })
}

/// Ctrl-C while all vectors wait: the run ends in good order, what was not judged says so, and no database stays.
#[cfg(unix)]
fn nothing_is_left_behind_by_an_interrupted_run(url: &str) -> Result<(), Failed> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_cosmos-ttl"));
    let mut run =
        run.args(["run", url, "lifetime/off-*"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    while !databases(url)?.contains("cosmos-ttl-") {
        sleep(Duration::from_millis(50));
    }
    // These vectors last eight seconds; one is enough to be in the middle of them.
    sleep(Duration::from_secs(1));
    let killed = Command::new("kill").args(["-INT", &run.id().to_string()]).status()?;
    let mut stdout = String::new();
    run.stdout.take().unwrap().read_to_string(&mut stdout)?;
    let mut said = String::new();
    run.stderr.take().unwrap().read_to_string(&mut said)?;
    let code = run.wait()?.code();
    let databases = databases(url)?;
    let expected = [
        (killed.success(), "the signal was sent"),
        (code == Some(3), "the run is undecided"),
        (stdout.contains("not run"), "what was not judged says so"),
        (said.contains("interrupted"), "whoever pressed Ctrl-C is told"),
        (!databases.contains("cosmos-ttl-"), "no database stays"),
    ];
    match expected.iter().find(|(holds, _)| !holds) {
        None => Ok(()),
        Some((_, what)) => {
            Err(format!("not so: {what}\nexit {code:?}\n{said}\n{stdout}\n{databases}").into())
        }
    }
}

/// What the server says of its databases.
#[cfg(unix)]
fn databases(url: &str) -> Result<String, Failed> {
    let address = url.strip_prefix("http://").ok_or("not an http URL")?;
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET /dbs HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.contains("Databases") {
        Ok(answer)
    } else {
        Err(format!("no list of databases: {answer}").into())
    }
}

fn every_verdict_is_the_known_one(url: &str) -> Result<(), Failed> {
    let suite = embedded().unwrap();
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();
    let target =
        HttpTarget::connect(HttpConfig::new(url, None).unwrap()).map_err(|fault| fault.to_string())?;
    let run = run_real(&target, &vectors, &Options::default()).map_err(|fault| fault.to_string())?;
    target.cleanup().map_err(|fault| fault.to_string())?;
    let mut lines = String::from("vector\tverdict\tbecause\tsignature\n");
    for result in &run.results {
        writeln!(lines, "{}\t{}", result.vector.name, line(result)?).unwrap();
    }
    compare(&lines)
}

fn line(result: &VectorResult<'_>) -> Result<String, String> {
    match &result.verdict {
        Verdict::Pass if asks_for_expiry_or_refusal(result.vector) => {
            Err(format!("{} passes, though it asks for expiry or refusal", result.vector.name))
        }
        Verdict::Pass => Ok("pass\tit asks for neither expiry nor refusal\t".into()),
        Verdict::Fail(failure) => {
            let word = if result.differs() { "differ" } else { "fail" };
            let because = because(result, failure)
                .ok_or_else(|| format!("{} fails for no known reason: {failure}", result.vector.name))?;
            Ok(format!("{word}\t{because}\t{failure}"))
        }
        Verdict::Unsupported(why) if why.starts_with("batch: ") && why.contains("answered 500") => {
            Ok("unsupported\tit knows no batch but of creates\t".into())
        }
        Verdict::NotApplicable(why) => Ok(format!("not applicable\t{why}\t")),
        verdict => {
            let reason = verdict.reason().unwrap_or_default();
            Err(format!("{} is {}: {reason}", result.vector.name, verdict.kind()))
        }
    }
}

/// Whether some answer must be a refusal, or must show something gone that was there.
fn asks_for_expiry_or_refusal(vector: &Vector) -> bool {
    let mut most = 0;
    vector.steps.iter().any(|step| {
        let Expect::One(outcome) = &step.expect else { return false };
        match outcome {
            Outcome::Status(status, _) => matches!(status, Status::BadRequest | Status::NotFound),
            Outcome::Aborted(..) => true,
            Outcome::Ids(ids) => {
                let fewer = ids.len() < most;
                most = ids.len();
                fewer
            }
            Outcome::Count(_) | Outcome::Committed(_) => false,
        }
    })
}

fn because(result: &VectorResult<'_>, failure: &Failure) -> Option<&'static str> {
    let (expected, got) = (ids(&failure.expected), ids(&failure.got));
    let success = |text: &str| ["created", "ok", "found", "no-content"].contains(&text);
    let replaced = result.vector.steps.iter().zip(&result.answers).any(|(step, answer)| {
        matches!(step.request, Request::ReplaceContainer(_)) && answer.response.status == Status::Ok
    });
    let there = match (&expected, &got) {
        (Some(expected), Some(got)) => expected.is_subset(got) && expected != got,
        _ => failure.expected.starts_with("not-found") && success(&failure.got),
    };
    let conflict = failure.expected.contains("created") && failure.got.ends_with("conflict");
    let lost = match (&expected, &got) {
        (Some(expected), Some(got)) => !expected.is_subset(got),
        _ => failure.expected.starts_with("found") && failure.got == "not-found",
    };
    if failure.expected == "bad-request" && success(&failure.got) {
        Some("it refuses no setting")
    } else if failure
        .got
        .starts_with("status 500 ({\"message\":\"Failed to parse x-ms-documentdb-partitionkey")
    {
        Some("it knows no batch but of creates")
    } else if there || conflict {
        Some("nothing expires")
    } else if lost && replaced {
        Some("new settings empty the container")
    } else {
        None
    }
}

/// The ids of a list in words, or of the first where there are several to choose from.
fn ids(text: &str) -> Option<BTreeSet<&str>> {
    let (list, _) = text.strip_prefix('[')?.split_once(']')?;
    Some(list.split(", ").filter(|id| !id.is_empty()).collect())
}

fn compare(lines: &str) -> Result<(), Failed> {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/cosmosdb-server/verdicts.tsv");
    let text = fs::read_to_string(&known).unwrap_or_default();
    if text == lines {
        return Ok(());
    }
    let seen = env::temp_dir().join("cosmosdb-server-verdicts.tsv");
    fs::write(&seen, lines).unwrap();
    let different = |these: &str, those: &str| {
        let those: BTreeSet<&str> = those.lines().collect();
        let only_here: Vec<&str> = these.lines().filter(|line| !those.contains(line)).collect();
        only_here.join("\n  ")
    };
    Err(format!(
        "the verdicts are not the known ones\nknown, and not seen:\n  {}\nseen, and not known:\n  {}\nall that was seen is in {}",
        different(&text, lines),
        different(lines, &text),
        seen.display(),
    )
    .into())
}
