//! Files that cannot be used are refused at their place; pipes, devices and links are neither waited for nor replaced.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::program::{check, check_in, copied, directory, program, says, succeeds};

/// A directory with the small suite, in one file of which this stands in place of `from`.
fn changed(file: &str, from: &str, to: &str) -> PathBuf {
    let path = copied("changed");
    let file = path.join("vectors").join(file);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
    path
}

#[test]
fn vectors_that_cannot_be_used_are_refused() {
    let path = directory("vectors");
    check_in(&path, "2 | run --vectors vectors | vectors");
    fs::create_dir(path.join("vectors")).unwrap();
    check_in(&path, "2 | run --vectors vectors | no clauses.yaml");
    fs::write(path.join("vectors/\u{1b}[31mred\n.txt"), "").unwrap();
    check_in(&path, r"2 | run --vectors vectors | \u{1b}[31mred\n.txt | !ESC");
    let suite = copied("quick");
    fs::write(suite.join("vectors/quick.yaml"), "format: 1\nvectors:\n- lifetime/none\n").unwrap();
    check_in(&suite, "2 | run --vectors vectors | quick.yaml:3:3 | `lifetime/none` is no vector");
}

#[test]
fn an_adapter_replaces_no_file() {
    let path = directory("init");
    check_in(
        &path,
        r"
        0 | init rust new | wrote new/tests/ttl/main.rs | cargo test --test ttl | !smoke
        0 | init go | wrote ./go.mod | cosmos-ttl smoke -- ./adapter
        0 | init python -- -x | cd ./-x
        2 | init cobol | python, javascript, java, go, rust
        ",
    );
    fs::create_dir_all(path.join("half/tests")).unwrap();
    fs::write(path.join("half/tests/ttl"), "").unwrap();
    check_in(&path, "2 | init rust half | half/tests/ttl: cannot be written");
    fs::remove_file(path.join("half/tests/ttl")).unwrap();
    check_in(&path, "0 | init rust half | wrote half/tests/ttl/main.rs");
    fs::remove_file(path.join("adapter.go")).unwrap();
    check_in(&path, "2 | init go | PROTOCOL.md: is there already | nothing was written");
    assert!(!path.join("adapter.go").exists());
    let manifest = fs::read_to_string(path.join("new/Cargo.toml")).unwrap();
    assert!(manifest.contains(concat!("cosmos-ttl-harness = \"", env!("CARGO_PKG_VERSION"))), "{manifest}");
}

#[test]
fn all_errors_of_all_files_are_shown_at_once_with_what_may_be_meant() {
    let path = changed("lifetime.yaml", "title:", "titel:");
    for (file, from, to) in [
        ("lifetime.yaml", "expect: not-found", "expcet: not-found"),
        ("lifetime.yaml", "- at: 10", "- at: soon"),
        ("settings.yaml", "[reappearance]", "[reapearance]"),
        ("settings.yaml", "expect: created", "expect: \u{202e}created"),
    ] {
        let file = path.join("vectors").join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(file, text.replacen(from, to, 1)).unwrap();
    }
    let said = says(&path, "run --vectors vectors");
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    insta::assert_snapshot!("bad_vectors", said.err);
}

#[cfg(unix)]
mod special {
    use std::fs::OpenOptions;
    use std::io::Write as _;
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
    use std::process::{Command, Stdio};

    use super::*;

    /// A directory with a report of the small suite in `report`.
    fn reported(name: &str) -> PathBuf {
        let path = directory(name);
        succeeds(&["run", "--vectors", "suite", "--report", path.join("report").to_str().unwrap()]);
        path
    }

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    /// Makes a second null device; only root may.
    fn device(path: &Path) -> bool {
        let made = Command::new("mknod").arg(path).args(["c", "1", "3"]).stderr(Stdio::null()).status();
        // In a sandbox a device may be made and still not be opened.
        made.is_ok_and(|status| status.success()) && OpenOptions::new().append(true).open(path).is_ok()
    }

    #[test]
    fn a_page_goes_into_a_pipe_or_a_device_and_does_not_replace_it() {
        let path = reported("special-pipe");
        let (to, out) = (path.join("to"), path.join("out"));
        pipe(&to);
        let mut reader = Command::new("cat").arg(&to).stdout(File::create(&out).unwrap()).spawn().unwrap();
        check_in(&path, "0 | report report -o to | !written");
        if !fs::symlink_metadata(&to).unwrap().file_type().is_fifo() {
            reader.kill().unwrap();
            panic!("the pipe was replaced");
        }
        reader.wait().unwrap();
        assert!(fs::read_to_string(&out).unwrap().starts_with("<!DOCTYPE html>"));
        if device(&path.join("node")) {
            check_in(&path, "0 | report report -o node");
            check_in(&path, "1 | explore mutant:one-second-late --output node");
            assert!(fs::symlink_metadata(path.join("node")).unwrap().file_type().is_char_device());
        }
    }

    // Links of its own take the place of `/dev/stdout`: a test that fails must not replace the one of this machine.
    #[test]
    fn links_stay_and_what_is_behind_them_is_written() {
        let path = reported("special-links");
        let page = says(&path, "report report").out;
        fs::create_dir(path.join("pages")).unwrap();
        fs::write(path.join("pages/there.html"), "old").unwrap();
        fs::set_permissions(path.join("pages/there.html"), fs::Permissions::from_mode(0o640)).unwrap();
        for (name, target) in [("there", "pages/there.html"), ("new", "pages/new.html"), ("second", "new")] {
            symlink(target, path.join(name)).unwrap();
            check_in(&path, &format!("0 | report report -o {name} | {name}: written"));
            assert_eq!(fs::read_link(path.join(name)).unwrap(), Path::new(target));
            assert_eq!(fs::read_to_string(path.join(target)).unwrap(), page, "{name}");
        }
        assert_eq!(fs::metadata(path.join("there")).unwrap().permissions().mode() & 0o777, 0o640);
        symlink("loop", path.join("loop")).unwrap();
        check_in(&path, "2 | report report -o loop | more than 40 links");
        if Path::new("/proc/self/fd/1").exists() {
            symlink("/proc/self/fd/1", path.join("out")).unwrap();
            assert_eq!(says(&path, "report report -o out").out, page);
            let log = path.join("log");
            fs::write(&log, "before\n").unwrap();
            let mut logged = program();
            logged.current_dir(&path).args(["report", "report", "-o", "out"]);
            logged.stdout(OpenOptions::new().append(true).open(&log).unwrap()).status().unwrap();
            assert_eq!(fs::read_to_string(&log).unwrap(), format!("before\n{page}"), "a log stays");
        }
    }

    #[test]
    fn nothing_waits_for_a_pipe_where_a_file_is_read() {
        let path = copied("special-read");
        pipe(&path.join("pipe"));
        for name in ["clauses.yaml", "evidence.yaml", "lifetime.yaml", "quick.yaml", "more.yaml"] {
            let file = path.join("vectors").join(name);
            let before = fs::read(&file).ok();
            let _ = fs::remove_file(&file);
            pipe(&file);
            let why = format!("{name}: a named pipe, and not a regular file");
            check_in(&path, &format!("2 | run --vectors vectors | {why}"));
            fs::remove_file(&file).unwrap();
            if let Some(before) = before {
                fs::write(&file, before).unwrap();
            }
        }
        check_in(
            &path,
            "
            2 | run --vectors vectors --known pipe | pipe: a named pipe, and not a regular file
            2 | known check --vectors vectors pipe | pipe: a named pipe, and not a regular file
            2 | known update pipe --reason r --vectors vectors | pipe: a named pipe, and not a regular file
            2 | report pipe | pipe: a named pipe, and not a regular file
            2 | diff pipe pipe | pipe: a named pipe, and not a regular file
            ",
        );
        let report = reported("special-report").join("report");
        for name in ["report.json", "junit.xml"] {
            fs::remove_file(report.join(name)).unwrap();
            pipe(&report.join(name));
            let directory = report.display();
            check(&format!(
                "2 | run SUITE --report {directory} | {name} is a named pipe, and not a regular file"
            ));
            fs::remove_file(report.join(name)).unwrap();
        }
    }

    #[test]
    fn a_file_that_the_system_makes_up_or_that_is_too_large_is_refused() {
        let path = directory("special-large");
        let large = File::create(path.join("large")).unwrap();
        large.set_len(1 << 40).unwrap();
        (&large).write_all(b"{").unwrap();
        check_in(&path, "2 | report large | 1099511627776 bytes are too many: at most 67108864 are read");
        if Path::new("/proc/self/pagemap").exists() {
            check_in(&path, "2 | report /proc/self/pagemap | is empty");
            check_in(&path, "2 | report /dev/zero | a character device, and not a regular file");
        }
    }
}
