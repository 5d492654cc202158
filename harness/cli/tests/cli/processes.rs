//! Processes on the command line.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{
    ProgramOutput, check, check_said, check_script, directory, interrupt, of_script, program, this,
};

/// The reference behind an edit of what it answers.
fn edited(change: &str) -> String {
    format!("\"$0\" serve --stdio | sed -u -e '{change}'")
}

#[test]
fn a_process_is_a_target() {
    check(
        r"
        0 | run SUITE -- THIS serve --stdio | conformant | cosmos-ttl explore --  | !cargo lab
        0 | run SUITE --jobs 3 -- THIS serve --stdio | conformant
        1 | run SUITE -- THIS serve --stdio --target mutant:one-second-late | nonconformant
        0 | run SUITE -- THIS serve --stdio --target mutant:right | mutant:right
        4 | smoke -- /no/such/program | `/no/such/program` does not start
        4 | run SUITE -- /no/such/program | /no/such/program
        ",
    );
    let options = "--budget 60 --timeout 20";
    let again =
        format!("{options} lifetime/item-shorter-than-default -- sh -c 'exec \\\"$0\\\" serve --stdio'");
    check_script("exec \"$0\" serve --stdio", &format!("0 | run SUITE --format json {options} | {again}"));
}

#[test]
fn a_process_that_breaks_ends_the_run_with_4() {
    let crashes = "while IFS= read -r line; do case $line in *'\"b\"'*) echo out of disk >&2; exit 1;; esac; \
                   printf '%s\\n' \"$line\"; done | \"$0\" serve --stdio";
    check_script(crashes, "4 | run SUITE | out of disk | 4 pass + 1 broken | again: ");
    check_script("echo nonsense", "4 | run SUITE | its reply to `hello` is not understood | nonsense");
    let left = directory("process-mishap");
    let row =
        format!("4 | run SUITE --report {} lifetime | segfault at the end | !conformant", left.display());
    check_script("\"$0\" serve --stdio; echo segfault at the end >&2; sleep 10", &row);
    for file in ["report.json", "report.md", "index.html", "junit.xml"] {
        assert!(fs::read_to_string(left.join(file)).unwrap().contains("segfault at the end"), "{file}");
    }
}

#[test]
fn smoke_says_what_is_wrong_with_an_adapter() {
    let good = "0 | smoke --strict-protocol | 11 checks passed | will take about | next: cosmos-ttl run -- ";
    check_script("exec \"$0\" serve --stdio", good);
    let liar = "s/\"virtual\"/\"virtual\",\"more\":1/;s/\"not-found\"/\"no-content\"/;s/_ts\":17/_ts\":18/;\
                s/\"text\":\"[^,]*,/\"text\":\"\",/";
    let bad = of_script("smoke", &edited(liar));
    assert_eq!((bad.code, bad.err.as_str()), (4, ""), "{}", bad.out);
    insta::assert_snapshot!("smoke", bad.out);
    let stack = "echo 'SyntaxError: Unexpected token' >&2; for n in $(seq 60); do echo \"  at frame $n\" >&2; done; exit 1";
    // One session for all: only the first `open` arrives, and no `close`.
    let shared = r#"exec 3>&1; opened=; while IFS= read -r line; do
        q=${line#*:}; reply="{\"q\":${q%%,*},\"ok\":{}}"
        case $line in
            *'"open"'*) if [ -n "$opened" ]; then echo "$reply" >&3; continue; fi; opened=1;;
            *'"close"'*) echo "$reply" >&3; continue;;
        esac
        printf '%s\n' "$line" | sed 's/"session":"[0-9]*"/"session":"1"/'
    done | "$0" serve --stdio"#;
    for (script, cause) in [
        (edited("s/\"protocol\":1/\"protocol\":2/"), "do: reply `\"protocol\": 1` to `hello`"),
        (edited("s/,\"nothing\":null//"), "was sent as null do: a property that is null is returned as null"),
        (edited("s/_ts\":\\([0-9]*\\)/_ts\":\\1000/"), "it looks like milliseconds"),
        (stack.into(), "its standard error begins: SyntaxError: Unexpected token"),
        ("printf 'connected\\n{\"q\":1}\\n'; sleep 1".into(), "this line is no message: connected"),
        (shared.into(), "sessions share data"),
    ] {
        check_script(&script, &format!("4 | smoke | {cause}"));
    }
}

/// The adapter answers when the notice was read, however long that takes.
#[test]
fn smoke_asks_for_a_flush_when_hello_is_not_answered_and_goes_on_waiting() {
    let mark = directory("silent").join("read");
    let script = "while [ ! -e \"$1\" ]; do sleep 0.05; done; exec \"$0\" serve --stdio";
    let mut smoke = program();
    smoke.args(["smoke", "--", "sh", "-c", script, this()]).arg(&mark);
    let mut smoke = smoke.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notice = String::new();
    BufReader::new(smoke.stderr.take().unwrap()).read_line(&mut notice).unwrap();
    assert!(notice.starts_with("no reply to `hello` for 5 s") && notice.contains("flush"), "{notice}");
    fs::write(&mark, "").unwrap();
    assert_eq!(ProgramOutput::from(smoke.wait_with_output().unwrap()).code, 0);
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
    let serve = serve.args(["serve", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut serve = serve.spawn().unwrap();
    std::io::Write::write_all(&mut serve.stdin.take().unwrap(), side("> ").as_bytes()).unwrap();
    let output = ProgramOutput::from(serve.wait_with_output().unwrap());
    let lines = |text: &str| -> Vec<serde_json::Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(lines(&output.out), lines(&side("< ")));
}

/// Everything that a run left in this directory.
fn left(directory: &Path) -> String {
    let files =
        fs::read_dir(directory).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    files.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_key_reaches_neither_a_process_nor_a_report() {
    let directory = directory("process-key");
    let report = directory.to_str().unwrap();
    let script = "echo \"key is <$COSMOS_TTL_KEY>\" >&2; exit 1";
    let mut run = program();
    run.env("COSMOS_TTL_KEY", "c2VjcmV0c2VjcmV0").args(["run", "--report", report, "--vectors", "suite"]);
    let said = run.args(["--", "sh", "-c", script]).output().unwrap().into();
    check_said(script, &said, 4, &["key is <>"]);
    for url in [
        "http://127.0.0.1:1/?key=SECRET",
        "http://127.0.0.1:1/;AccountKey=SECRET==",
        "http://127.0.0.1:1/#SECRET",
        "http://a:S/SECRET@127.0.0.1:1",
    ] {
        let said = crate::program::say(&["run", "--report", report, url, "--vectors", "suite"]);
        let told = said.out + &said.err + &left(&directory);
        assert!(0 < said.code && !told.contains("SECRET"), "{url}");
    }
}

#[test]
fn an_adapter_that_offers_nothing_has_not_passed() {
    let script = r#"read -r line; printf '%s\n' "$line" | "$0" serve --stdio
        while IFS= read -r line; do
            q=${line#*:}
            case $line in
            *bye*) echo "{\"q\":${q%%,*},\"ok\":{}}"; exit ;;
            *) echo "{\"q\":${q%%,*},\"unsupported\":\"not yet\"}" ;;
            esac
        done"#;
    check_script(
        script,
        "
        4 | smoke | every vector needs it
        3 | run SUITE | 5 vectors = 5 unsupported
        3 | explore --steps 100 | undecided
        ",
    );
}

#[test]
fn a_part_that_is_not_offered_is_declared_or_leaves_the_run_undecided() {
    let unchanged = "s/x/x/";
    let (patch, batch) = (r#"s/{"patch":/{"putch":/g"#, r#"s/{"batch":/{"butch":/g"#);
    let hello = |word: &str| format!(r#"s/"pages":true/"pages":true,"without":["{word}"]/"#);
    for (asked, answered, row) in [
        (patch, unchanged, "0 | run SUITE --without patch | conformant without patch: "),
        (patch, &hello("patch"), "0 | run SUITE | conformant without patch: "),
        (batch, &hello("batch"), "0 | run SUITE --without batch | conformant without batch: "),
        (patch, unchanged, "0 | run SUITE --format json --without patch | \"conformant without patch\""),
        // Nothing is inferred, and the option is there to copy.
        (patch, unchanged, "3 | run SUITE | --without patch"),
        (batch, &hello("patch"), "2 | run SUITE | `patch` is declared missing, and answers"),
        (unchanged, unchanged, "2 | run SUITE --without batch,patch | is declared missing, and answers"),
        (unchanged, &hello("pach"), "4 | run SUITE | no part is called `pach`; did you mean patch?"),
        (
            patch,
            unchanged,
            "0 | explore --steps 2000 --without patch | no difference in 2,000 requests | without patch;",
        ),
        (
            r#"s/{"upsert":/{"u":/g"#,
            unchanged,
            "2 | prove --without upsert | the complete suite needs `upsert`",
        ),
    ] {
        check_script(&format!("sed -u -e '{asked}' | \"$0\" serve --stdio | sed -u -e '{answered}'"), row);
    }
}

fn is_alive(id: &str) -> bool {
    let kill = Command::new("kill").args(["-0", id.trim()]).stderr(Stdio::null()).status();
    let state = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    kill.unwrap().success() && !state.contains(") Z ")
}

#[test]
fn ctrl_c_before_the_first_reply_ends_the_command_and_the_process() {
    let directory = directory("process-interrupted");
    let pid = directory.join("pid");
    let script = format!("trap '' TERM INT HUP; echo $$ > '{}'; while :; do sleep 0.1; done", pid.display());
    for (line, twice) in [("run", true), ("smoke", true), ("explore", true), ("run", false), ("prove", false)]
    {
        let script =
            if twice { script.clone() } else { format!("echo $$ > '{}'; exec sleep 600", pid.display()) };
        let mut run = program();
        run.args([line, "--", "sh", "-c", &script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut run = run.spawn().unwrap();
        while fs::read_to_string(&pid).unwrap_or_default().trim().is_empty() {
            std::thread::yield_now();
        }
        interrupt(run.id());
        let mut first = String::new();
        let mut lines = BufReader::new(run.stderr.take().unwrap());
        lines.read_line(&mut first).unwrap();
        assert!(first.starts_with("interrupted: "), "{first}");
        if twice {
            interrupt(run.id());
        }
        lines.read_to_string(&mut first).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(if twice { 130 } else { 3 }), "{line}: {first}");
        let id = fs::read_to_string(&pid).unwrap();
        fs::remove_file(&pid).unwrap();
        // Whoever inherited it may take a moment to notice its end.
        for _ in 0..100 {
            if is_alive(&id) {
                crate::program::wait();
            }
        }
        assert!(!is_alive(&id), "{line}: process {id} is still there");
    }
}
