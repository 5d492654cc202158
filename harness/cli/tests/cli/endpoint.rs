//! The program at an endpoint over HTTP: what it leaves behind, what it deletes, and what it never repeats.

use std::collections::HashSet;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_testing::endpoint::{Answer, Asked, Endpoint};

use crate::program::{ProgramOutput, directory, program, refuses, say};

fn endpoint(intercept: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Endpoint {
    Endpoint::new(Reference::default(), Duration::ZERO, intercept)
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
fn a_run_names_the_databases_that_earlier_runs_left() {
    let endpoint = endpoint(|_| None);
    let old: Vec<_> = (2..6).map(|hours| made_before(hours * 3600 + 60)).collect();
    old.iter().chain([&"accounts".to_owned()]).for_each(|name| endpoint.add_database(name));
    let said = say(&["run", &endpoint.url(), "settings/refused-batch", "--vectors", "suite"]);
    let text = &said.err;
    assert!(text.contains("4 databases of other runs are at this endpoint"), "{text}");
    assert!(text.contains(&format!("{} (5 h old)", old[3])) && text.contains("and 1 more"), "{text}");
    assert!(text.contains(&format!("cosmos-ttl cleanup {}", endpoint.url())), "{text}");
    assert_eq!(endpoint.databases().len(), 5, "a run deletes only its own");
}

#[test]
fn clean_up_deletes_old_databases_of_runs_and_named_ones() {
    let endpoint = endpoint(|_| None);
    let (old, young, younger) = (made_before(7260), made_before(600), made_before(5));
    let others = ["accounts", "cosmos-ttl-accounts"].map(str::to_owned);
    [&old, &young, &younger].into_iter().chain(&others).for_each(|name| endpoint.add_database(name));
    let url = endpoint.url();
    let said = say(&["cleanup", &url]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains(&format!("deleted {old} (2 h old)")), "{}", said.out);
    assert!(
        said.out.contains(&format!("kept {young} (10 min old): its run may still go on")),
        "{}",
        said.out
    );
    assert!(said.out.ends_with("1 deleted, 0 not deleted\n"), "{}", said.out);
    let said = say(&["cleanup", &url, &young, "cosmos-ttl-accounts"]);
    assert!(said.out.contains("not there: cosmos-ttl-accounts"), "{}", said.out);
    assert_eq!(endpoint.databases(), [&others[0], &younger, &others[1]].map(String::as_str));
}

#[test]
fn a_database_that_cannot_be_deleted_is_said() {
    let endpoint = endpoint(|asked| asked.line.starts_with("DELETE").then(|| (500, "I'd rather not".into())));
    endpoint.add_database(&made_before(7260));
    let said = say(&["cleanup", &endpoint.url()]);
    assert_eq!(said.code, 4);
    assert!(said.out.contains("not deleted: cosmos-ttl-") && said.out.contains("rather not"), "{}", said.out);
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
fn pieces_find_a_secret_wherever_it_is() {
    let secret = "c2VjcmV0IGtl%2BZ";
    for text in [secret.to_owned(), format!("\"sig={secret}yy\""), format!("a b/{secret}+=\n")] {
        assert!(pieces(&text).any(|piece| piece == secret.as_bytes()), "{text}");
    }
}

#[test]
fn no_signature_and_no_key_reach_the_terminal_or_a_report() {
    const KEY: &str = "c2VjcmV0IGtleSBvZiBhbiBhY2NvdW50LCBvciBzbyB0aGV5IHNheSE=";
    // Some of these runs wait.
    thread::scope(|scope| {
        for code in [200, 400, 401, 403, 404, 500] {
            scope.spawn(move || {
                check_secrets(code, KEY);
            });
        }
    });
}

/// Checks that nothing which is left of a run has a secret in it that an endpoint repeats in answers with this status.
fn check_secrets(code: u16, key: &'static str) {
    let endpoint = endpoint(move |asked| {
        let echo = format!("{} {key}", asked.headers["authorization"]);
        let body = format!(r#"{{"id":"a","message":"{echo}","_ts":1767225600,"_etag":"{echo}"}}"#);
        (asked.line.contains("/docs")).then_some((code, body))
    });
    let folder = directory(&format!("secrets-{code}"));
    let report = folder.join("report");
    let trace = folder.join("trace.txt");
    let url = endpoint.url();
    let report_words = ["--report", report.to_str().unwrap(), "--trace", trace.to_str().unwrap()];
    let words = [&["run", &url, "--vectors", "suite", "--budget", "5"], &report_words[..]].concat();
    let said: ProgramOutput = program().args(words).env("COSMOS_TTL_KEY", key).output().unwrap().into();
    let files = fs::read_dir(&report).unwrap().map(|entry| entry.unwrap().path());
    let mut texts: Vec<_> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    assert_eq!(texts.len(), 4, "four report files");
    let trace = fs::read_to_string(trace).unwrap();
    assert!(trace.contains("curl -i -X POST"), "{trace}");
    texts.extend([said.out, said.err, trace]);
    let signed = endpoint.asked();
    assert!(signed.len() > 10, "{code}: {} requests", signed.len());
    let signatures =
        signed.iter().map(|asked| asked.headers["authorization"].rsplit_once("sig%3D").unwrap().1);
    let secrets: HashSet<Vec<u8>> = signatures
        .flat_map(forms)
        .chain([key.to_owned()])
        .map(|secret| secret.as_bytes()[..SHOWN_BYTES].to_vec())
        .collect();
    for text in texts.iter().flat_map(|text| forms(text)) {
        let found = pieces(&text).find(|piece| secrets.contains(*piece));
        assert_eq!(found.map(String::from_utf8_lossy), None, "{code}: a secret is in {text}");
    }
}

#[test]
fn the_command_that_repeats_a_vector_has_the_budget_that_was_given() {
    // No server is there: what is left is the report of a run that asked nothing.
    let report = directory("again").join("report");
    let words = ["run", "http://127.0.0.1:9", "--report", report.to_str().unwrap(), "--vectors", "suite"];
    for budget in
        [&["--containers", "10", "--budget", "60"][..], &["--budget", "600"], &["--containers", "10"]]
    {
        say(&[&words, budget].concat());
        let page = fs::read_to_string(report.join("report.json")).unwrap();
        let page: serde_json::Value = serde_json::from_str(&page).unwrap();
        let again: Vec<_> = page["cases"][0]["again"].as_str().unwrap().split(' ').collect();
        for given in budget.chunks(2) {
            assert!(again.windows(2).any(|words| words == given), "{given:?}: {again:?}");
        }
        assert_eq!(again.contains(&"--budget"), budget.contains(&"--budget"), "{again:?}");
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
    let mut run = run
        .args(["run", &endpoint.url(), "--vectors", "suite"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !endpoint.asked().iter().any(|asked| asked.line.contains("/docs")) {
        thread::yield_now();
    }
    let interrupted = now();
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    run.wait().unwrap();
    let waited = interrupted.elapsed();
    let mut said = String::new();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(waited < Duration::from_secs(5), "{waited:?}: {said}");
    let [left] = &endpoint.databases()[..] else { panic!("one database") };
    assert_eq!(said.matches("is left behind").count(), 1, "{said}");
    assert!(said.contains(&format!("cosmos-ttl cleanup {} {left}", endpoint.url())), "{said}");
}

#[test]
fn exploration_refuses_a_clock_that_runs_by_itself_and_says_what_to_do() {
    let endpoint = endpoint(|_| None);
    let refused = refuses(&["explore", &endpoint.url(), "--steps", "2"]);
    assert!(
        refused.contains("runs by itself") && refused.contains("cosmos-ttl run --random 100"),
        "{refused}"
    );
}
