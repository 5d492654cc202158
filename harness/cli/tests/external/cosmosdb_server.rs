//! Every vector against a real server that has no time to live at all: npm `@vercel/cosmosdb-server`.
//!
//! Its failures are known section by section, in `harness/implementations/cosmosdb-server/known.yaml`, a list that is
//! compared with the run as `cosmos-ttl run --known` does. `harness/implementations/cosmosdb-server/start` starts the server and
//! prints the URL that goes into `COSMOS_TTL_SERVER_URL`; without it the tests say that they were not run.

use std::env;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use cosmos_ttl_testing::slow_proxy::slow_proxy;
use libtest_mimic::{Completion, Failed, Trial};

const VARIABLE: &str = "COSMOS_TTL_SERVER_URL";

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::ignorable_test("a_server_without_time_to_live_fails_as_is_known", || {
        match env::var(VARIABLE) {
            Ok(url) => check(&url).map(|()| Completion::Completed),
            Err(_) => Ok(Completion::ignored_with(format!(
                "{VARIABLE} is not set; see harness/implementations/cosmosdb-server/start"
            ))),
        }
    })]
}

/// Every vector near, and at the same time the quick ones with 100 ms between a request and its response; then an
/// interrupted run.
fn check(url: &str) -> Result<(), Failed> {
    let address = url.strip_prefix("http://").ok_or("not an http URL")?;
    thread::scope(|scope| {
        let near = scope.spawn(|| is_as_known(url, false));
        let far = is_as_known(&slow_proxy(address, Duration::from_millis(100)).url(), true);
        near.join().map_err(|_| "the near run panicked")?.and(far)
    })?;
    nothing_is_left_behind_by_an_interrupted_run(url, address)
}

/// Every failure has to show again, which takes its time on a busy machine or over a slow way.
const TEST_BUDGET_S: u64 = 360;
/// Where a request takes a tenth of a second, eight of them do not always fit into one.
const MAY_BE_INCONCLUSIVE: usize = 2;

fn is_as_known(url: &str, is_far: bool) -> Result<(), Failed> {
    let suite = embedded()?;
    let vectors = suite.vectors.iter().filter(|vector| !is_far || suite.quick.contains(&vector.name));
    let list = cosmos_ttl_testing::project().join("harness/implementations/cosmosdb-server/known.yaml");
    let known = KnownFailures::load(&list, &suite).map_err(|flaw| flaw.to_string())?;
    let target = HttpTarget::connect(HttpConfig::new(url, None)?)?;
    let options = Options { budget_s: TEST_BUDGET_S, ..Options::default() };
    let mut run = run_real(&target, &vectors.collect::<Vec<_>>(), &options)?;
    target.cleanup()?;
    known.apply(&mut run);
    let is_unsure = |verdict: &Verdict| matches!(verdict, Verdict::Inconclusive(_));
    let unsure = run.results.iter().filter(|result| is_unsure(&result.verdict)).count();
    let others = run.results.iter().filter(|result| !is_unsure(&result.verdict)).filter_map(|result| {
        let is_known = match (&result.verdict, &result.listed) {
            (
                Verdict::Pass | Verdict::Unsupported(_) | Verdict::NotApplicable(_) | Verdict::NotOffered(_),
                None,
            ) => true,
            (verdict, listed) => {
                matches!(verdict, Verdict::Fail(_)) && listed.as_ref().is_some_and(|listed| listed.holds)
            }
        };
        let reason = result.verdict.reason().unwrap_or_default();
        (!is_known).then(|| format!("{} is {}: {reason}", result.vector.name, result.verdict.outcome()))
    });
    let wrong: Vec<_> = others.chain(run.stale.iter().cloned()).collect();
    let spare = if is_far { MAY_BE_INCONCLUSIVE } else { 0 };
    if wrong.is_empty() && unsure <= spare {
        Ok(())
    } else {
        Err(format!("{unsure} inconclusive; {wrong:#?}").into())
    }
}

/// Ctrl-C while all vectors wait: the run ends in good order, what was not judged says so, and no database stays.
fn nothing_is_left_behind_by_an_interrupted_run(url: &str, address: &str) -> Result<(), Failed> {
    let mut run = super::program();
    run.args(["run", url, "lifetime/off-*"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = run.spawn()?;
    while !databases(address)?.contains("cosmos-ttl-") {
        sleep(Duration::from_millis(50));
    }
    // These vectors last eight seconds; one is enough to be in the middle of them.
    sleep(Duration::from_secs(1));
    Command::new("kill").args(["-INT", &run.id().to_string()]).status()?;
    let output = run.wait_with_output()?;
    let told = String::from_utf8([output.stdout, output.stderr].concat())?;
    let is_told = ["not run", "interrupted"].iter().all(|words| told.contains(words));
    let databases = databases(address)?;
    if output.status.code() == Some(3) && is_told && !databases.contains("cosmos-ttl-") {
        return Ok(());
    }
    Err(format!("exit {:?}\n{told}\n{databases}", output.status.code()).into())
}

/// Returns the names of the server's databases.
fn databases(address: &str) -> Result<String, Failed> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET /dbs HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.contains("Databases") { Ok(answer) } else { Err(format!("no databases: {answer}").into()) }
}
