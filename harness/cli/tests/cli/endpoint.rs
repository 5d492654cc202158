//! The program at an endpoint over HTTP: what it leaves behind, what it deletes, and what it never repeats.

use std::collections::HashSet;
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_testing::endpoint::{Answer, Asked, Endpoint};

use crate::program::{ProgramOutput, check_said, directory, program, say, words};

fn endpoint(intercept: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Endpoint {
    Endpoint::new(Reference::default(), Duration::ZERO, intercept)
}

/// Checks a command in which `URL` is the endpoint.
#[track_caller]
fn check(endpoint: &Endpoint, line: &str, code: i32, contains: &[&str]) {
    check_said(line, &say(&words(&line.replace("URL", &endpoint.url()))), code, contains);
}

/// The name of a database that a run made so long ago.
#[expect(clippy::disallowed_methods, reason = "the age of a database is that of its name")]
fn made_before(age_s: u64) -> String {
    let now_s = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    format!("cosmos-ttl-{}-42-0123456789abcdef", now_s.saturating_sub(age_s))
}

#[expect(clippy::disallowed_methods, reason = "the time that a user waits")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn runs_name_the_databases_that_were_left_and_cleanup_deletes_them() {
    let endpoint = endpoint(|_| None);
    let old: Vec<_> = (2..6).map(|hours| made_before(hours * 3600 + 60)).collect();
    let (young, younger) = (made_before(600), made_before(5));
    let others = ["accounts", "cosmos-ttl-accounts"].map(str::to_owned);
    old.iter().chain([&young, &younger]).chain(&others).for_each(|name| endpoint.add_database(name));
    let cleanup = format!("cosmos-ttl cleanup {}", endpoint.url());
    check(
        &endpoint,
        "run URL SUITE settings/refused-batch",
        0,
        &["6 databases of other runs are at this endpoint", &cleanup],
    );
    assert_eq!(endpoint.databases().len(), 8, "a run deletes only its own");
    check(
        &endpoint,
        "cleanup URL",
        0,
        &[
            &format!("deleted {} (2 h old)", old[0]),
            &format!("kept {young} (10 min old): its run may still go on"),
            "4 deleted, 0 not deleted\n",
        ],
    );
    check(
        &endpoint,
        &format!("cleanup URL {young} cosmos-ttl-accounts"),
        0,
        &["not there: cosmos-ttl-accounts"],
    );
    assert_eq!(endpoint.databases(), [&others[0], &younger, &others[1]].map(String::as_str));
    let refuses =
        self::endpoint(|asked| asked.line.starts_with("DELETE").then(|| (500, "rather not".into())));
    refuses.add_database(&old[0]);
    check(&refuses, "cleanup URL", 4, &["not deleted: cosmos-ttl-", "rather not"]);
}

#[test]
fn nothing_is_sent_where_nothing_is_to_be_sent() {
    let endpoint = endpoint(|_| None);
    check(&endpoint, "run --dry-run URL SUITE", 0, &["dry run: nothing was sent"]);
    assert_eq!(endpoint.asked().len(), 0);
    check(&endpoint, "explore URL --steps 2", 2, &["runs by itself", "cosmos-ttl run --random 100"]);
}

/// The text as it is, and with every escape of a percent sign undone.
fn forms(text: &str) -> [String; 2] {
    [text.to_owned(), text.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=").replace("&#x3D;", "=")]
}

/// How many bytes of a secret are too many.
const SHOWN_BYTES: usize = 16;

/// Returns every piece of a text that may be the beginning of a secret. One pass finds each of many secrets.
fn pieces(text: &str) -> impl Iterator<Item = &[u8]> {
    let words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric() && !b"+/=%".contains(byte));
    words.flat_map(|word| word.windows(SHOWN_BYTES))
}

#[test]
fn no_signature_and_no_key_reach_the_terminal_a_report_or_a_trace() {
    let secret = "c2VjcmV0IGtl%2BZ";
    assert!(pieces(&format!("\"sig={secret}yy\"")).any(|piece| piece == secret.as_bytes()));
    // Some of these runs wait.
    thread::scope(|scope| {
        for code in [200, 400, 401, 403, 404, 500] {
            scope.spawn(move || check_secrets(code));
        }
    });
}

/// Checks that nothing which is left of a run has a secret in it that an endpoint repeats in answers with this status.
fn check_secrets(code: u16) {
    const KEY: &str = "c2VjcmV0IGtleSBvZiBhbiBhY2NvdW50LCBvciBzbyB0aGV5IHNheSE=";
    let endpoint = endpoint(move |asked| {
        let echo = format!("{} {KEY}", asked.headers["authorization"]);
        let body = format!(r#"{{"id":"a","message":"{echo}","_ts":1767225600,"_etag":"{echo}"}}"#);
        (asked.line.contains("/docs")).then_some((code, body))
    });
    let folder = directory(&format!("secrets-{code}"));
    let (report, trace) = (folder.join("report"), folder.join("trace.txt"));
    let mut run = program();
    run.args(["run", &endpoint.url(), "--vectors", "suite", "--budget", "5"]);
    run.arg("--report").arg(&report).arg("--trace").arg(&trace);
    let said: ProgramOutput = run.env("COSMOS_TTL_KEY", KEY).output().unwrap().into();
    let files = fs::read_dir(&report).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<_> = files.chain([trace]).map(|path| fs::read_to_string(path).unwrap()).collect();
    assert_eq!(texts.len(), 5, "four report files and a trace");
    texts.extend([said.out, said.err]);
    let signed = endpoint.asked();
    assert!(signed.len() > 10, "{code}: {} requests", signed.len());
    let signatures =
        signed.iter().map(|asked| asked.headers["authorization"].rsplit_once("sig%3D").unwrap().1);
    let secrets: HashSet<Vec<u8>> = signatures
        .flat_map(forms)
        .chain([KEY.to_owned()])
        .map(|secret| secret.as_bytes()[..SHOWN_BYTES].to_vec())
        .collect();
    for text in texts.iter().flat_map(|text| forms(text)) {
        let found = pieces(&text).find(|piece| secrets.contains(*piece));
        assert_eq!(found.map(String::from_utf8_lossy), None, "{code}: a secret is in {text}");
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_at_a_server_that_hangs_ends_within_five_seconds_and_names_what_is_left() {
    let endpoint = endpoint(|asked| {
        let hangs = asked.line.contains("/docs") || asked.line.starts_with("DELETE");
        #[expect(clippy::disallowed_methods, reason = "it hangs")]
        hangs.then(|| thread::sleep(Duration::from_secs(60))).map(|()| (500, String::new()))
    });
    let mut run = program();
    run.args(["run", &endpoint.url(), "--vectors", "suite"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = run.spawn().unwrap();
    while !endpoint.asked().iter().any(|asked| asked.line.contains("/docs")) {
        thread::yield_now();
    }
    let interrupted = now();
    crate::program::interrupt(run.id());
    let said = ProgramOutput::from(run.wait_with_output().unwrap()).err;
    let waited = interrupted.elapsed();
    assert!(waited < Duration::from_secs(5), "{waited:?}: {said}");
    let [left] = &endpoint.databases()[..] else { panic!("one database") };
    assert_eq!(said.matches("is left behind").count(), 1, "{said}");
    assert!(said.contains(&format!("cosmos-ttl cleanup {} {left}", endpoint.url())), "{said}");
}
