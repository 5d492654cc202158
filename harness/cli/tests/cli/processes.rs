//! Processes on the command line.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::program::{self, ProgramOutput, program, say, succeeds, suite};

fn this() -> &'static str {
    env!("CARGO_BIN_EXE_cosmos-ttl")
}

/// Returns the output of the program about a shell script in front of the reference.
fn of_script(words: &[&str], script: &str) -> ProgramOutput {
    program().args(words).args(["--", "sh", "-c", script, this()]).output().unwrap().into()
}

#[test]
fn a_process_is_a_target() {
    let directory = suite();
    let directory = directory.to_str().unwrap();
    let out = succeeds(&["run", "--vectors", directory, "--", this(), "serve", "--stdio"]);
    let reference = succeeds(&["run", "--vectors", directory, "reference"]);
    let (said, next) = out.split_once("next: ").unwrap();
    assert_eq!(said, reference.split_once("next: ").unwrap().0, "the reference is the same on either side");
    // Whoever wrote an adapter has nothing of the lab.
    assert!(next.contains("cosmos-ttl explore -- ") && !next.contains("cargo lab"), "{next}");
}

#[test]
fn a_process_that_lies_about_its_protocol_ends_the_run_with_4() {
    let said = of_script(&["run", "--vectors", "suite"], "echo nonsense");
    assert_eq!((said.code, said.out.as_str()), (4, ""));
    insta::assert_snapshot!("a_process_that_speaks_nonsense", said.err);
}

#[test]
fn a_process_that_crashes_is_shown_with_its_last_words() {
    let script = "while IFS= read -r line; do case $line in *'\"b\"'*) echo out of disk >&2; exit 1;; esac; \
                  printf '%s\\n' \"$line\"; done | \"$0\" serve --stdio";
    let directory = suite();
    let words = ["run", "--vectors", directory.to_str().unwrap()];
    let said = of_script(&words, script);
    assert_eq!((said.code, said.err.as_str()), (4, ""), "{}", said.out);
    let out = said.out.replace(directory.to_str().unwrap(), "suite").replace(this(), "cosmos-ttl");
    let (_, end) = out.split_once("broken: ").unwrap();
    insta::assert_snapshot!("a_process_that_crashes", end);
}

#[test]
fn a_target_and_a_command_are_one_too_many() {
    for target in ["reference", "http://127.0.0.1:9"] {
        let said = say(&["run", target, "--vectors", "suite", "--", "true"]);
        assert_eq!((said.code, said.out.as_str()), (2, ""));
        assert!(said.err.contains("name one target"), "{}", said.err);
    }
}

#[test]
fn the_command_that_repeats_a_vector_has_the_process_in_it() {
    let directory = suite();
    let words = ["run", "--format", "json", "--timeout", "20", "--vectors", directory.to_str().unwrap()];
    let said = of_script(&words, "exec \"$0\" serve --stdio");
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let again = report["cases"][0]["again"].as_str().unwrap();
    assert!(
        again.contains(
            "--timeout 20 lifetime/item-shorter-than-default -- sh -c 'exec \"$0\" serve --stdio' "
        )
    );
}

#[test]
fn smoke_says_what_is_wrong_with_an_adapter() {
    let good = of_script(&["smoke", "--strict-protocol"], "exec \"$0\" serve --stdio");
    assert_eq!((good.code, good.err.as_str()), (0, ""), "{}", good.out);
    // How long a run will take depends on the machine.
    let out = good.out.replace(this(), "cosmos-ttl");
    let estimate = out.lines().find_map(|line| line.split_once(" will take about ")?.1.strip_suffix(" s"));
    let estimate = estimate.unwrap();
    assert!(estimate.parse::<u64>().is_ok_and(|seconds| 0 < seconds), "{estimate}");
    let out = out.replace(&format!("about {estimate} s"), "about 1 s");
    insta::assert_snapshot!("smoke_of_the_reference", out);
    let liar = "\"$0\" serve --stdio | sed -u -e 's/\"virtual\"/\"virtual\",\"more\":1/' -e 's/\"not-found\"/\"no-content\"/' \
                -e 's/_ts\":17/_ts\":18/' -e 's/\"text\":\"[^,]*,/\"text\":\"\",/'";
    let bad = of_script(&["smoke"], liar);
    assert_eq!((bad.code, bad.err.as_str()), (4, ""), "{}", bad.out);
    insta::assert_snapshot!("smoke_of_a_careless_adapter", bad.out);
}

#[test]
fn smoke_names_the_cause() {
    let smoke =
        |script: &str| of_script(&["smoke"], script).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let through = |change: &str| smoke(&format!("\"$0\" serve --stdio | sed -u -e '{change}'"));
    let says = |out: String, what: &str| assert!(out.contains(what), "no `{what}` in {out}");
    says(through("s/\"protocol\":1/\"protocol\":2/"), "do: reply `\"protocol\": 1` to `hello`");
    says(
        through("s/,\"nothing\":null//"),
        "the item that create returned lacks `nothing`, which was sent as null \
         do: a property that is null is returned as null: does your JSON writer drop nulls?",
    );
    says(through("s/_ts\":\\([0-9]*\\)/_ts\":\\1000/"), "it looks like milliseconds");
    let stack = "echo 'SyntaxError: Unexpected token' >&2; for n in $(seq 60); do echo \"  at frame $n\" >&2; done; exit 1";
    says(smoke(stack), "its standard error begins: SyntaxError: Unexpected token | at frame 1 |");
    let noise = "printf 'connected to the database\\n{\"q\":1}\\n'; sleep 1";
    says(smoke(noise), "this line is no message: connected to the database");
    // One session for all: only the first `open` arrives, and no `close`.
    let shared = r#"exec 3>&1; opened=; while IFS= read -r line; do
        q=${line#*:}; reply="{\"q\":${q%%,*},\"ok\":{}}"
        case $line in
            *'"open"'*) if [ -n "$opened" ]; then echo "$reply" >&3; continue; fi; opened=1;;
            *'"close"'*) echo "$reply" >&3; continue;;
        esac
        printf '%s\n' "$line" | sed 's/"session":"[0-9]*"/"session":"1"/'
    done | "$0" serve --stdio"#;
    says(smoke(shared), "sessions share data");
}

/// The adapter answers when the notice was read, however long that takes.
#[test]
fn smoke_asks_for_a_flush_when_hello_is_not_answered_and_goes_on_waiting() {
    let mark = cosmos_ttl_testing::program::scratch("silent").join("read");
    let mut command = program();
    let script = "while [ ! -e \"$1\" ]; do sleep 0.05; done; exec \"$0\" serve --stdio";
    command.args(["smoke", "--", "sh", "-c", script, this()]).arg(&mark);
    let mut smoke = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notice = String::new();
    let mut stderr = BufReader::new(smoke.stderr.take().unwrap());
    stderr.read_line(&mut notice).unwrap();
    assert_eq!(
        notice,
        "no reply to `hello` for 5 s, waiting: does the adapter flush its output after each line?\n"
    );
    fs::write(&mark, "").unwrap();
    let said = ProgramOutput::from(smoke.wait_with_output().unwrap());
    assert_eq!(said.code, 0, "{}", said.out);
}

#[test]
fn smoke_of_what_does_not_start_says_so() {
    let said = say(&["smoke", "--", "/no/such/program"]);
    assert_eq!(said.code, 4, "{}", said.err);
    assert!(said.out.contains("`/no/such/program` does not start"), "{}", said.out);
    assert_eq!(say(&["smoke"]).code, 2);
}

#[test]
fn serve_is_as_the_page_says() {
    let page = fs::read_to_string(cosmos_ttl_testing::project().join("harness/targets/PROTOCOL.md")).unwrap();
    let exchange = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let side = |sign: &str| -> String {
        let lines = exchange.lines().filter_map(|line| line.strip_prefix(sign));
        lines.flat_map(|line| [line, "\n"]).collect()
    };
    let mut serve = program();
    let serve = serve.args(["serve", "--stdio"]).stdin(Stdio::piped());
    let mut serve = serve.stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut serve.stdin.take().unwrap(), side("> ").as_bytes()).unwrap();
    let output = serve.wait_with_output().unwrap();
    let (got, wanted) = (String::from_utf8(output.stdout).unwrap(), side("< "));
    let lines = |text: &str| -> Vec<serde_json::Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(lines(&got), lines(&wanted));
}

#[test]
fn the_command_that_mends_a_list_has_the_process_in_it() {
    let directory = program::directory("process-known");
    let list = directory.join("known.yaml");
    let list = list.to_str().unwrap();
    fs::write(list, "known:\n- name: lifetime/item-shorter-than-default\n  reason: late\n").unwrap();
    let vectors = suite();
    let words = ["run", "--known", list, "--vectors", vectors.to_str().unwrap(), "lifetime"];
    let said = of_script(&words, "exec \"$0\" serve --stdio");
    assert_eq!(said.code, 1, "{}", said.err);
    let next = said.out.lines().find(|line| line.contains("known update")).unwrap();
    let (_, command) = next.split_once("cosmos-ttl known update ").unwrap();
    let wanted =
        format!("{list} --vectors {} lifetime -- sh -c 'exec \"$0\" serve --stdio' ", vectors.display());
    assert!(command.starts_with(&wanted), "{command}");
}

#[test]
fn a_command_that_is_empty_is_refused_and_never_means_the_reference() {
    let list = program::directory("process-empty").join("known.yaml");
    let list = list.to_str().unwrap();
    let vectors = suite();
    let vectors = vectors.to_str().unwrap();
    for words in [
        vec!["run", "--"],
        vec!["run", "--vectors", vectors, "lifetime", "--"],
        vec!["known", "update", list, "--reason", "r", "--vectors", vectors, "--"],
        vec!["smoke", "--"],
    ] {
        let said = say(&words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}: {}", said.err);
    }
    assert!(!fs::exists(list).unwrap());
}

/// Everything that a run left in this directory.
fn left(directory: &std::path::Path) -> String {
    let files =
        fs::read_dir(directory).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    files.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_process_that_breaks_between_vectors_breaks_the_run_and_every_report_says_so() {
    let directory = program::directory("process-mishap");
    let vectors = suite();
    let words =
        ["run", "--report", directory.to_str().unwrap(), "--vectors", vectors.to_str().unwrap(), "lifetime"];
    let script = "\"$0\" serve --stdio; echo segfault at the end >&2; sleep 10";
    let said = of_script(&words, script);
    assert_eq!((said.code, said.err.as_str()), (4, ""), "{}", said.out);
    assert!(said.out.contains("segfault at the end") && !said.out.contains("conformant"), "{}", said.out);
    for file in ["report.json", "report.md", "index.html", "junit.xml"] {
        let text = fs::read_to_string(directory.join(file)).unwrap();
        assert!(text.contains("segfault at the end"), "{file}");
    }
}

#[test]
fn a_key_reaches_neither_a_process_nor_a_report() {
    let directory = program::directory("process-key");
    let report = directory.to_str().unwrap();
    let script = "echo \"key is <$COSMOS_TTL_KEY>\" >&2; exit 1";
    let mut command = program();
    command.env("COSMOS_TTL_KEY", "c2VjcmV0c2VjcmV0").args([
        "run",
        "--report",
        report,
        "--vectors",
        "suite",
        "--",
        "sh",
        "-c",
        script,
    ]);
    let said: ProgramOutput = command.output().unwrap().into();
    assert_eq!(said.code, 4);
    assert!(said.err.contains("key is <>"), "{}", said.err);
    for url in [
        "http://127.0.0.1:1/?key=SECRET",
        "http://127.0.0.1:1/;AccountKey=SECRET==",
        "http://127.0.0.1:1/#SECRET",
        "http://a:S/SECRET@127.0.0.1:1",
        "http://SECRET@127.0.0.1:1",
    ] {
        let said = say(&["run", "--report", report, url, "lifetime", "--vectors", "suite"]);
        assert!(
            0 < said.code && !format!("{}{}{}", said.out, said.err, left(&directory)).contains("SECRET"),
            "{url}"
        );
    }
}

#[test]
fn an_adapter_that_offers_nothing_has_not_passed() {
    let script = r#"read -r line; "$0" serve --stdio <<< "$line" || true
        while IFS= read -r line; do
            q=${line#*:}
            case $line in
            *bye*) echo "{\"q\":${q%%,*},\"ok\":{}}"; exit ;;
            *) echo "{\"q\":${q%%,*},\"unsupported\":\"not yet\"}" ;;
            esac
        done"#;
    let of = |words: &[&str]| -> ProgramOutput {
        program().args(words).args(["--", "bash", "-c", script, this()]).output().unwrap().into()
    };
    if std::process::Command::new("bash").arg("--version").output().is_err() {
        return println!("not run: there is no bash");
    }
    let smoke = of(&["smoke"]);
    assert_eq!(smoke.code, 4, "{}", smoke.out);
    assert!(smoke.out.contains("every vector needs it"), "{}", smoke.out);
    let vectors = suite();
    let run = of(&["run", "--vectors", vectors.to_str().unwrap()]);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("5 vectors = 5 unsupported") || run.out.contains("4 unsupported"),
        "{}",
        run.out
    );
    let explored = of(&["explore", "--steps", "100"]);
    assert_eq!(explored.code, 3, "{}{}", explored.out, explored.err);
}

/// `PROTOCOL.md` allows it: the vectors that need the item are unsupported, and exploration looks at reads.
#[test]
fn a_store_whose_answers_to_writes_have_no_item_is_not_accused() {
    let run = say(&["run", "mutant:no-write-shows-its-item", "--vectors", "suite"]);
    assert_eq!(run.err, "");
    assert!(!run.out.contains("FAIL") && run.code != 1, "{}", run.out);
    let explored = say(&["explore", "mutant:no-write-shows-its-item", "--steps", "2000"]);
    assert_eq!((explored.code, explored.err.as_str()), (0, ""), "{}", explored.out);
}

#[cfg(unix)]
#[test]
fn ctrl_c_before_the_first_reply_ends_the_run_and_the_process() {
    use std::io::Read as _;
    use std::process::Command;

    let directory = program::directory("process-interrupted");
    let pid = directory.join("pid");
    let script = format!("echo $$ > '{}'; exec sleep 600", pid.display());
    let mut run = program();
    run.args(["run", "--report", directory.join("report").to_str().unwrap()]);
    run.args(["--vectors", "suite", "--", "sh", "-c", &script]);
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    while fs::read_to_string(&pid).unwrap_or_default().trim().is_empty() {
        std::thread::yield_now();
    }
    let kill = |signal: &str, id: &str| {
        Command::new("kill").args([signal, id]).stderr(Stdio::null()).status().unwrap()
    };
    assert!(kill("-INT", &run.id().to_string()).success());
    let mut out = String::new();
    run.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(3), "{out}");
    let id = fs::read_to_string(&pid).unwrap();
    assert!(!kill("-0", id.trim()).success(), "the process is still there");
    assert!(left(&directory.join("report")).contains("interrupted"));
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_kills_a_process_that_ignores_every_other_signal() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Command;

    let directory = program::directory("process-interrupted-twice");
    let pid = directory.join("pid");
    let script = format!("trap '' TERM INT HUP; echo $$ > '{}'; while :; do sleep 0.1; done", pid.display());
    let kill = |signal: &str, id: &str| {
        Command::new("kill").args([signal, id.trim()]).stderr(Stdio::null()).status().unwrap()
    };
    for words in [&["run", "--vectors", "suite"][..], &["smoke"], &["explore"]] {
        let mut run = program();
        run.args(words).args(["--", "sh", "-c", &script]);
        let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while fs::read_to_string(&pid).unwrap_or_default().trim().is_empty() {
            std::thread::yield_now();
        }
        let mut lines = BufReader::new(run.stderr.take().unwrap()).lines();
        assert!(kill("-INT", &run.id().to_string()).success());
        let first = lines.next().unwrap().unwrap();
        assert!(first.starts_with("interrupted: "), "{first}");
        assert!(kill("-INT", &run.id().to_string()).success());
        assert_eq!(run.wait().unwrap().code(), Some(130), "{words:?}");
        let id = fs::read_to_string(&pid).unwrap();
        fs::remove_file(&pid).unwrap();
        // Whoever inherited it may take a moment to notice its end.
        let is_alive = || {
            let state = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
            kill("-0", &id).success() && !state.contains(") Z ")
        };
        for _ in 0..1_000 {
            if !is_alive() {
                break;
            }
            std::thread::yield_now();
        }
        assert!(!is_alive(), "{words:?}: process {id} is still there");
    }
}

/// Runs the small suite against the reference behind two edits: of what it is asked, and of what it answers.
#[track_caller]
fn check_parts((asked, answered): (&str, &str), words: &[&str], code: u8, said: &str) {
    let directory = suite();
    let script = format!("sed -u -e '{asked}' | \"$0\" serve --stdio | sed -u -e '{answered}'");
    let words = [&["run", "--vectors", directory.to_str().unwrap()], words].concat();
    let out = of_script(&words, &script);
    assert_eq!(i32::from(code), out.code, "{}{}", out.out, out.err);
    assert!(format!("{}{}", out.out, out.err).contains(said), "{}{}", out.out, out.err);
}

#[test]
fn a_part_that_is_not_offered_is_declared_or_leaves_the_run_undecided() {
    let unchanged = "s/x/x/";
    let (patch, batch) = (r#"s/{"patch":/{"putch":/g"#, r#"s/{"batch":/{"butch":/g"#);
    let hello = |word: &str| format!(r#"s/"pages":true/"pages":true,"without":["{word}"]/"#);
    let conformant = "conformant without patch: ";
    check_parts((patch, unchanged), &["--without", "patch"], 0, conformant);
    check_parts((patch, &hello("patch")), &[], 0, conformant);
    check_parts((batch, &hello("batch")), &["--without", "batch"], 0, "conformant without batch: ");
    check_parts(
        (patch, unchanged),
        &["--format", "json", "--without", "patch"],
        0,
        "\"conformant without patch\"",
    );
    // Nothing is inferred, and the option is there to copy.
    check_parts((patch, unchanged), &[], 3, "cosmos-ttl run --without patch --vectors");
    check_parts((batch, &hello("patch")), &[], 2, "`patch` is declared missing, and answers");
    check_parts(
        (unchanged, unchanged),
        &["--without", "batch,patch"],
        2,
        "`patch` is declared missing, and answers",
    );
    check_parts((unchanged, unchanged), &["--without", "pach"], 2, "'patch'");
    check_parts((unchanged, &hello("pach")), &[], 4, "no part is called `pach`; did you mean patch?");
}
