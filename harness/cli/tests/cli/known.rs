//! Known failures on the command line: `run --known`, `known update`, `known check`, and what people read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::known_failures::KnownFailures;
use cosmos_ttl_harness::run::{Run, run_virtual};
use cosmos_ttl_harness::target::{About, Body, Fault, Operation, Request, Response, Session, Status, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_report::style::RenderOptions;
use cosmos_ttl_report::text::text;
use cosmos_ttl_report::{Outcome as Word, Report, RunCommand};

use crate::program::{ProgramOutput, VECTORS, directory, program, refuses};
use crate::verdicts::{asked, rest, still_there, suite};
use cosmos_ttl_testing::twisted::{Wrong, twisted};

/// A directory with the vectors of these tests as `vectors`, one of which the reference fails.
fn wrong(name: &str) -> PathBuf {
    let directory = directory(name);
    fs::create_dir(directory.join("vectors")).unwrap();
    for entry in fs::read_dir(crate::program::suite()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, directory.join("vectors").join(path.file_name().unwrap())).unwrap();
    }
    expect(&directory, "expect: not-found}", "expect: found}");
    directory
}

/// Changes what the vectors of a section expect.
fn expect(directory: &Path, from: &str, to: &str) {
    let path = directory.join("vectors/lifetime.yaml");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "`{from}` stands there once");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn say(directory: &Path, words: &[&str]) -> ProgramOutput {
    program().current_dir(directory).args(words).output().unwrap().into()
}

fn run(directory: &Path, more: &[&str]) -> ProgramOutput {
    say(directory, &[&["run", "--vectors", "vectors", "--known", "known.yaml"], more].concat())
}

fn update(directory: &Path, more: &[&str]) -> ProgramOutput {
    say(directory, &[&["known", "update", "known.yaml", "--vectors", "vectors"], more].concat())
}

fn stored(directory: &Path) -> String {
    fs::read_to_string(directory.join("known.yaml")).unwrap_or_default()
}

#[test]
fn a_list_is_made_held_and_kept() {
    let directory = wrong("known-kept");
    let said = run(&directory, &[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("known.yaml: cannot be read"), "{}", said.err);

    let said = update(&directory, &["--reason", "the vector is wrong"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    insta::assert_snapshot!(said.out + &stored(&directory));

    let said = run(&directory, &[]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(
        said.out.contains("as known: 1 of 5 judged vectors fail as known.yaml says; this is not conformant")
    );
    assert_eq!(run(&directory, &["settings"]).code, 0, "who is not asked for is left alone");
    assert_eq!(say(&directory, &["run", "--vectors", "vectors"]).code, 1, "without the list it fails");

    let before = stored(&directory);
    let said = update(&directory, &[]);
    assert_eq!((said.code, said.out.as_str()), (0, "known.yaml: 1 kept; up to date\n"));
    assert_eq!(stored(&directory), before);

    expect(&directory, "expect: found}\n  - query", "expect: no-content}\n  - query");
    assert_eq!(run(&directory, &[]).code, 2, "a read is never answered so");
    expect(&directory, "expect: no-content}\n  - query", "expect: {found: {ttl: 10}}}\n  - query");
    let said = update(&directory, &[]);
    assert_eq!(said.code, 0, "{}", said.err);

    expect(&directory, "expect: {found: {ttl: 10}}}\n  - query", "expect: not-found}\n  - query");
    let said = run(&directory, &[]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("known.yaml is out of date: 1 unexpected pass"), "{}", said.out);
    let said = update(&directory, &[]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (
            0,
            "  removed  lifetime/item-shorter-than-default: it fails so no more\nknown.yaml: 1 removed, 0 kept; written\n"
        )
    );
    let said = run(&directory, &[]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("\nconformant: "), "{}", said.out);
    let left: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_failure_that_changed_fails_the_run_until_somebody_says_so() {
    let directory = wrong("known-changed");
    assert_eq!(update(&directory, &["--reason", "the vector is wrong"]).code, 0);
    let list = stored(&directory).replace("got: not-found", "got: conflict");
    fs::write(directory.join("known.yaml"), &list).unwrap();
    let said = run(&directory, &[]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("known.yaml is out of date: 1 changed failure"), "{}", said.out);
    let said = update(&directory, &[]);
    let change =
        "  changed  lifetime/item-shorter-than-default: at second 10: expected found, got not-found\n";
    assert_eq!((said.code, said.out), (0, format!("{change}known.yaml: 1 changed, 0 kept; written\n")));
    assert_eq!(run(&directory, &[]).code, 0);
}

#[test]
fn new_failures_need_a_reason() {
    let directory = wrong("known-reason");
    let said = update(&directory, &[]);
    assert_eq!((said.code, said.out.as_str(), stored(&directory).as_str()), (2, "", ""));
    insta::assert_snapshot!(said.err);
    let said = update(&directory, &["--reason", "  "]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("an empty reason"), "{}", said.err);
    assert!(!directory.join("known.yaml").exists());
}

#[test]
fn a_list_is_not_changed_in_ci() {
    let directory = wrong("known-ci");
    let with = |value: &str| {
        let words = ["known", "update", "known.yaml", "--vectors", "vectors", "--reason", "it is so"];
        let said = program().current_dir(&directory).env("CI", value).args(words).output().unwrap();
        ProgramOutput::from(said)
    };
    for value in ["true", "1", "yes", "woodpecker"] {
        let said = with(value);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{value}");
        assert!(said.err.contains("not changed in CI"), "{}", said.err);
        assert!(!directory.join("known.yaml").exists());
    }
    for value in ["", "0", "false", "False"] {
        assert_eq!(with(value).code, 0, "{value}");
    }
    // Holding it is what CI is for.
    let words = ["run", "--vectors", "vectors", "--known", "known.yaml"];
    let said: ProgramOutput =
        program().current_dir(&directory).env("CI", "true").args(words).output().unwrap().into();
    assert_eq!(said.code, 0);
}

#[test]
fn a_target_that_cannot_be_reached_changes_no_list() {
    let directory = directory("known-broke");
    let text = "known:\n- {name: lifetime/patched-item, reason: r}\n";
    fs::write(directory.join("known.yaml"), text).unwrap();
    let suite = crate::program::suite().display().to_string();
    let words = ["known", "update", "known.yaml", "http://127.0.0.1:9", "lifetime", "--vectors", &suite];
    let said = say(&directory, &words);
    assert_eq!((said.code, said.out.as_str()), (4, ""), "{}", said.err);
    assert_eq!(stored(&directory), text);
}

#[test]
fn a_list_is_checked_without_a_run() {
    let directory = directory("known-check");
    let path = directory.join("known.yaml");
    let list = path.display().to_string();
    fs::write(&path, "known:\n- {match: 'settings/*', failing: 1, reason: r}\n").unwrap();
    let suite = crate::program::suite().display().to_string();
    let said = say(&directory, &["known", "check", "known.yaml", "--vectors", &suite]);
    assert_eq!((said.code, said.out.as_str()), (0, "known.yaml: 1 entry, of 2 of 5 vectors\n"));
    fs::write(&path, "known:\n- {match: 'settings/*', reason: r}\n").unwrap();
    let said = refuses(&["known", "check", &list, "--vectors", &suite]);
    assert!(said.contains("known.yaml:2:"), "{said}");
    assert_eq!(refuses(&["run", "--known", &list, "--vectors", &suite]), said, "a run reads it as strictly");
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_lost() {
    const LIST: &str = "known: []\n";
    let meanwhile = |name: &str, before: Option<&str>, script: &str| {
        let directory = wrong(name);
        if let Some(text) = before {
            fs::write(directory.join("known.yaml"), text).unwrap();
        }
        let script = format!("{script}; exec \"$0\" serve --stdio");
        let said = update(
            &directory,
            &["--reason", "r", "--", "sh", "-c", &script, env!("CARGO_BIN_EXE_cosmos-ttl")],
        );
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "nothing stays beside it");
        (said, stored(&directory))
    };
    let (said, list) = meanwhile("known-meanwhile", Some(LIST), "true");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(list.contains("lifetime/item-shorter-than-default"), "{list}");
    for (name, before) in [("known-meanwhile-new", None), ("known-meanwhile-changed", Some(LIST))] {
        let (said, list) = meanwhile(name, before, "printf other > known.yaml");
        assert_eq!((said.code, said.out.as_str(), list.as_str()), (2, "", "other"), "{name}");
        assert!(said.err.contains("somebody changed it during the run"), "{}", said.err);
    }
    let directory = wrong("known-meanwhile-gone");
    fs::write(directory.join("known.yaml"), LIST).unwrap();
    let script = "rm known.yaml; exec \"$0\" serve --stdio";
    let words = ["--reason", "r", "--", "sh", "-c", script, env!("CARGO_BIN_EXE_cosmos-ttl")];
    assert_eq!(update(&directory, &words).code, 2);
    assert!(!directory.join("known.yaml").exists());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_file_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let directory = wrong("known-link");
    let (file, link) = (directory.join("list.yaml"), directory.join("known.yaml"));
    fs::write(&file, "known: []\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    assert_eq!(update(&directory, &["--reason", "r"]).code, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("lifetime/item-shorter-than-default"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn words_that_say_nothing_to_an_update_are_refused() {
    for words in [&["--known", "other.yaml"][..], &["--format", "json"]] {
        let said = refuses(&[&["known", "update", "known.yaml"], words].concat());
        assert!(said.contains("says nothing here"), "{said}");
    }
    for target in ["reference", "http://127.0.0.1:9"] {
        assert!(refuses(&["known", "update", target]).contains("a target stands where the list should"));
    }
    let nowhere = refuses(&["known", "update", "no/such/directory/known.yaml", "--vectors", "suite"]);
    assert!(nowhere.contains("cannot be written"), "{nowhere}");
}

fn report(suite: &Suite, run: &mut Run<'_>, list: &str) -> Report {
    let source = Source::new("known.yaml", format!("known:\n{list}"));
    let known = KnownFailures::parse(&Arc::new(source), suite).unwrap_or_else(|flaw| panic!("{flaw}"));
    known.apply(run);
    Report::of(suite, run, &RunCommand { known: Some("known.yaml".into()), ..asked(false) })
}

/// The report of a target that never lets an item expire.
fn report_of(list: &str) -> Report {
    let suite = suite();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    report(&suite, &mut run_virtual(&Wrong(still_there), &vectors).unwrap(), list)
}

const SHORTER: &str = "- {name: lifetime/item-shorter-than-default, reason: nothing expires, second: 10, expected: not-found}\n";

#[test]
fn known_failures_are_told_by_reason() {
    let off = "- {match: 'settings/*', failing: 1, reason: nothing expires}\n";
    let report = report_of(&(SHORTER.to_owned() + off));
    assert_eq!((report.exit_code, report.conclusion.as_str()), (0, "as known"));
    assert_eq!(report.counts.get(Word::KnownFailure), 2);
    insta::assert_snapshot!(
        anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string()
    );
    assert_eq!(serde_json::from_str::<Report>(&report.json()).unwrap(), report);
}

#[test]
fn what_is_not_so_any_more_is_told_beside_what_is_listed() {
    let list = SHORTER.replace("10", "11")
        + "- {name: lifetime/patched-item, reason: it ages, second: 7}\n"
        + "- {match: 'settings/*', failing: 2, reason: nothing goes}\n";
    let report = report_of(&list);
    assert_eq!(report.exit_code, 1);
    assert_eq!(report.counts.get(Word::ChangedFailure), 1);
    assert_eq!(report.counts.get(Word::UnexpectedPass), 1);
    assert_eq!(report.stale.len(), 1);
    insta::assert_snapshot!(
        anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string()
    );
}

#[test]
fn unexpected_passes_are_one_paragraph_with_the_command_that_updates_the_list() {
    let list = "- {name: lifetime/null-is-refused, reason: r}\n- {name: lifetime/patched-item, reason: r}\n";
    let text = text(&report_of(list), RenderOptions { width: 200, ..RenderOptions::default() });
    let text = anstream::adapter::strip_str(&text).to_string();
    let told = "unexpected pass: 2 vectors\n |\n = r: lifetime/null-is-refused, lifetime/patched-item\n = update the list: ";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_list_cannot_write_on_the_terminal() {
    let list = "- {name: lifetime/patched-item, reason: \"\\e[2J\\nconformant\"}\n";
    let report = report_of(list);
    let text = anstream::adapter::strip_str(&text(&report, RenderOptions::default())).to_string();
    assert!(text.contains("\\u{1b}[2J conformant") && !text.contains('\u{1b}'), "{text:?}");
    assert!(!report.json().contains("\\u001b"), "{}", report.json());
}

/// The reference, which takes null for off where a container is made, and refuses it where one is replaced.
struct Undecided;

impl Target for Undecided {
    fn about(&self) -> About {
        About { purges: false, ..Reference::default().about() }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        twisted(|request, response| {
            let refuses = matches!(request, Request::ReplaceContainer(settings)
                if settings.default_ttl.as_ref().is_some_and(|ttl| ttl.as_str() == "null"));
            Ok(if refuses { Response::new(Status::BadRequest) } else { response })
        })
    }
}

#[test]
fn a_target_that_chooses_twice_where_a_choice_binds_fails_and_may_be_known_to() {
    let suite = &*VECTORS;
    let clause = "container-null-in-replacement".to_owned();
    let vectors: Vec<_> = suite.vectors.iter().filter(|vector| vector.clauses.contains(&clause)).collect();
    let mut run = run_virtual(&Undecided, &vectors).unwrap();
    let is_choice = |result: &&cosmos_ttl_harness::run::VectorResult<'_>| matches!(&result.verdict, Verdict::Fail(failure) if failure.expected.contains("since it chose"));
    let failed: Vec<_> = run.results.iter().filter(is_choice).collect();
    assert!(!failed.is_empty(), "{:?}", run.results.iter().map(|one| &one.verdict).collect::<Vec<_>>());
    let list: Vec<_> = failed
        .iter()
        .map(|result| {
            let Verdict::Fail(failure) = &result.verdict else { panic!("it fails") };
            format!("- {{name: {}, reason: r, second: {}}}\n", result.vector.name, failure.at_s)
        })
        .collect();
    let count = failed.len();
    let report = report(suite, &mut run, &list.concat());
    assert_eq!(report.counts.get(Word::KnownFailure), count, "{:?}", report.counts);
    assert!(report.fingerprint.starts_with("container-null-in-replacement="), "{}", report.fingerprint);
    assert!(!report.fingerprint.contains('/'), "one choice binds: {}", report.fingerprint);
}

#[test]
fn the_fingerprint_is_one_line_of_what_was_chosen() {
    let suite = suite();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let of = |target: &dyn Target| {
        let run = run_virtual(target, &vectors).unwrap();
        Report::of(&suite, &run, &asked(false))
    };
    let both = of(&Reference::default());
    assert_eq!(both.fingerprint, "reappearance=back/gone");
    let shown = rest(&both);
    let line = shown.lines().find(|line| line.trim_start().starts_with("fingerprint"));
    assert_eq!(line, Some("  fingerprint  reappearance=back/gone"));
    let gone = of(&Wrong(|request, response| match (request, response.body) {
        (Request::Item(Operation::Read(id)), _) if id == "a" => Ok(Response::new(Status::NotFound)),
        (_, body) => Ok(Response { body: without_a(body), ..Response::new(response.status) }),
    }));
    assert_eq!(gone.fingerprint, "reappearance=gone");
}

fn without_a(body: Body) -> Body {
    match body {
        Body::Ids(ids) => Body::Ids(ids.into_iter().filter(|id| id != "a").collect()),
        body => body,
    }
}
