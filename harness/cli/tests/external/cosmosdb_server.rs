//! Every vector against a real server that has no time to live at all: npm `@vercel/cosmosdb-server`.
//!
//! Its failures are known section by section, in `harness/implementations/cosmosdb-server/known.yaml`, a list that is
//! compared with the run as `cosmos-ttl run --known` does. Beyond that, each failure must have one of six causes, each pass
//! must be of a vector that asks for neither expiry nor refusal, and the number of vectors is pinned for each cause and for
//! each reason why a vector was not judged. `harness/implementations/cosmosdb-server/start` starts the server and prints the
//! URL that goes into `COSMOS_TTL_SERVER_URL`; without it the test says that it was not run.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::panic::resume_unwind;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread::{self, sleep};
use std::time::Duration;

use cosmos_ttl_harness::known_failures::{KnownFailures, apply};
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::run::VectorResult;
use cosmos_ttl_harness::target::{Operation, Request, Status};
use cosmos_ttl_harness::vector::{Expect, ExpectedResponse, Step, Suite, Vector, embedded};
use cosmos_ttl_harness::verdict::{Failure, Verdict};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use cosmos_ttl_testing::slow_proxy::slow_proxy;
use libtest_mimic::{Completion, Failed, Trial};

const VARIABLE: &str = "COSMOS_TTL_SERVER_URL";

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// Returns the test that replays every vector.
pub(crate) fn long_trials() -> Vec<Trial> {
    vec![trial("every_verdict_is_the_known_one_near_and_a_tenth_of_a_second_away", near_and_far)]
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        #[cfg(unix)]
        trial("nothing_is_left_behind_by_an_interrupted_run", nothing_is_left_behind_by_an_interrupted_run),
    ]
}

fn trial(name: &str, test: fn(&str) -> Result<(), Failed>) -> Trial {
    Trial::ignorable_test(name, move || match env::var(VARIABLE) {
        Ok(url) => super::alone(&super::SERVER, || test(&url)).map(|()| Completion::Completed),
        Err(_) => Ok(Completion::ignored_with(format!(
            "{VARIABLE} is not set; see harness/implementations/cosmosdb-server/start"
        ))),
    })
}

/// Ctrl-C while all vectors wait: the run ends in good order, what was not judged says so, and no database stays.
#[cfg(unix)]
fn nothing_is_left_behind_by_an_interrupted_run(url: &str) -> Result<(), Failed> {
    let mut run = super::program();
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

/// Returns the names of the server's databases.
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

/// Both at the same time: they wait most of the time.
fn near_and_far(url: &str) -> Result<(), Failed> {
    thread::scope(|scope| {
        let far = scope.spawn(|| a_tenth_of_a_second_away(url));
        let near = every_verdict_is_the_known_one(url);
        let far = far.join().unwrap_or_else(|panic| resume_unwind(panic));
        near.and(far)
    })
}

/// The same with 100 ms between a request and its response, for the quick profile.
fn a_tenth_of_a_second_away(url: &str) -> Result<(), Failed> {
    let address = url.strip_prefix("http://").ok_or("not an http URL")?;
    let proxy = slow_proxy(address, Duration::from_millis(100));
    let quick: Vec<_> = SUITE.vectors.iter().filter(|vector| SUITE.quick.contains(&vector.name)).collect();
    causes(&quick, MAY_BE_INCONCLUSIVE, &proxy.url()).map(|_| ())
}

/// Where a request takes a tenth of a second, eight of them do not always fit into one.
const MAY_BE_INCONCLUSIVE: usize = 2;

/// Every failure has to show again, which takes its time on a busy machine or over a slow way.
const TEST_BUDGET_S: u64 = 360;

fn every_verdict_is_the_known_one(url: &str) -> Result<(), Failed> {
    let causes = causes(&SUITE.vectors.iter().collect::<Vec<_>>(), 0, url)?;
    let causes: Vec<_> = causes.iter().map(|(cause, count)| (cause.as_str(), *count)).collect();
    if causes == CAUSES { Ok(()) } else { Err(format!("of the vectors is said: {causes:#?}").into()) }
}

/// Requires that these vectors fail as the list says, and counts them by the cause of their verdict.
///
/// At most as many as `spare` may be inconclusive.
fn causes(vectors: &[&Vector], mut spare: usize, url: &str) -> Result<BTreeMap<String, usize>, Failed> {
    let list = cosmos_ttl_testing::project().join("harness/implementations/cosmosdb-server/known.yaml");
    let known = KnownFailures::load(&list, &SUITE).map_err(|flaw| flaw.to_string())?;
    let target =
        HttpTarget::connect(HttpConfig::new(url, None).unwrap()).map_err(|fault| fault.to_string())?;
    let mut run = run_real(&target, vectors, &Options { budget_s: TEST_BUDGET_S, ..Options::default() })
        .map_err(|fault| fault.to_string())?;
    target.cleanup().map_err(|fault| fault.to_string())?;
    apply(&known, &mut run);
    let is_spared = |result: &&VectorResult<'_>| {
        let is_inconclusive = matches!(result.verdict, Verdict::Inconclusive(_));
        let is_spared = is_inconclusive && 0 < spare;
        spare -= usize::from(is_spared);
        is_spared
    };
    let (_, decided): (Vec<_>, Vec<_>) = run.results.iter().partition(is_spared);
    let wrong: Vec<_> =
        decided.into_iter().filter_map(|result| wrong(result).err()).chain(run.stale).collect();
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for result in &run.results {
        let cause = match &result.verdict {
            Verdict::Fail(failure) => format!("known: {}", because(result, failure).unwrap_or_default()),
            verdict => {
                let reason = verdict.reason().unwrap_or_default();
                let reason = if is_batch(&reason) { "it knows no batch but of creates" } else { &reason };
                let reason = reason.replace(&format!("budget of {TEST_BUDGET_S} s"), "budget");
                format!("{}: {reason}", verdict.outcome())
            }
        };
        *causes.entry(cause).or_default() += 1;
    }
    Ok(causes)
}

/// Why the vectors have the verdicts that they have, and how many of them.
const CAUSES: [(&str, usize); 9] = [
    ("known: a query lists all partitions", 10),
    ("known: an aborted batch is half done", 4),
    ("known: it accepts every setting", 98),
    ("known: it refuses patches of names that begin with an underscore", 1),
    ("known: new settings empty the container", 129),
    ("known: nothing expires", 216),
    ("not applicable: lasts longer than the budget (--budget)", 24),
    ("pass: ", 40),
    ("unsupported: it knows no batch but of creates", 141),
];

/// Returns an error if the result is not as the list says, or a failure has no known cause.
fn wrong(result: &VectorResult<'_>) -> Result<(), String> {
    let name = &result.vector.name;
    match (&result.verdict, &result.listed) {
        // It does refuse an impossible patch.
        (Verdict::Pass, None)
            if asks_for_expiry_or_refusal(result.vector)
                && !result.vector.clauses.iter().any(|clause| clause.starts_with("patch-of-")) =>
        {
            Err(format!("{name} passes, though it asks for expiry or refusal"))
        }
        (Verdict::Fail(failure), Some(listed)) if listed.holds => match because(result, failure) {
            Some(_) => Ok(()),
            None => Err(format!("{name} fails for another reason than those known: {failure}")),
        },
        (Verdict::Pass | Verdict::Unsupported(_) | Verdict::NotApplicable(_), None) => Ok(()),
        (verdict, listed) => {
            let listed = listed.as_ref().and_then(|listed| listed.signature.as_deref());
            let reason = verdict.reason().unwrap_or_default();
            Err(format!("{name}: listed {listed:?}, and is {}: {reason}", verdict.outcome()))
        }
    }
}

fn is_batch(why: &str) -> bool {
    why.starts_with("batch: ") && ["answered 500", "answered 400"].iter().any(|said| why.contains(said))
}

/// Whether some answer must be a refusal, or must show something gone that was there.
fn asks_for_expiry_or_refusal(vector: &Vector) -> bool {
    let mut most = 0;
    vector.steps.iter().any(|step| {
        let Expect::One(outcome) = &step.expect else { return false };
        match outcome {
            ExpectedResponse::Status(status, _) => matches!(status, Status::BadRequest | Status::NotFound),
            ExpectedResponse::Aborted(..) => true,
            ExpectedResponse::Ids(ids) => {
                let fewer = ids.len() < most;
                most = ids.len();
                fewer
            }
            ExpectedResponse::Count(_)
            | ExpectedResponse::CountWithin(..)
            | ExpectedResponse::Committed(_) => false,
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
        (Some(expected), Some(got)) if failure.expected.starts_with("a page ") => !got.is_subset(expected),
        // Of a long list only a part is shown.
        (Some(expected), Some(got)) => !got.is_subset(expected) && (expected.is_subset(got) || !replaced),
        _ => failure.expected.starts_with("not-found") && success(&failure.got),
    };
    // An id that should be free: a create is taken, or refused for its value alone.
    let is_free = failure.expected.contains("created") || failure.expected == "bad-request";
    let conflict = is_free && failure.got.ends_with("conflict");
    let lost = match (&expected, &got) {
        (Some(expected), Some(got)) => !expected.is_subset(got),
        _ => match (failure.expected.as_str(), failure.got.as_str()) {
            ("conflict", "created") => true,
            (expected, "not-found") => expected.starts_with("found") || expected == "ok",
            (expected, "count 0") => expected.starts_with("count "),
            _ => false,
        },
    };
    let refused =
        ["bad-request", "bad-request (first) or not-found (later)"].contains(&failure.expected.as_str());
    let taken = refused && success(&failure.got);
    let aborts =
        |step: &Step| step.expect.outcomes().any(|outcome| matches!(outcome, ExpectedResponse::Aborted(..)));
    let half_done = result.vector.steps.iter().take(failure.step).any(aborts);
    let taken_in_batch =
        failure.expected.ends_with(" with bad-request") && failure.got.starts_with("committed ");
    let feed = result.vector.steps.get(failure.step).is_some_and(|step| {
        matches!(step.request, Request::Query | Request::List | Request::Count)
            && result.vector.steps.iter().any(|step| step.partition.is_some())
    });
    let counted = failure.expected.starts_with("count ") && !failure.got.ends_with(" 0");
    let underscored = result.vector.steps.get(failure.step).is_some_and(|step| {
        matches!(&step.request, Request::Item(Operation::Patch(patch, _)) if patch.set.contains_key("_ttl"))
    });
    if underscored && failure.got == "bad-request" {
        Some("it refuses patches of names that begin with an underscore")
    } else if (there || counted) && feed {
        Some("a query lists all partitions")
    } else if taken || taken_in_batch {
        Some("it accepts every setting")
    } else if there && half_done {
        Some("an aborted batch is half done")
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
    let (list, _) = text
        .split_once('[')
        .filter(|(before, _)| before.is_empty() || before.starts_with("a page "))?
        .1
        .split_once(']')?;
    Some(list.split(", ").filter(|id| !id.is_empty()).collect())
}
