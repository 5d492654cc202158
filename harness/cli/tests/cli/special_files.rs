//! Pipes, devices and links where a file is expected: nothing waits for one, and nothing replaces one.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program::{ProgramOutput, copied, directory, program, succeeds};

/// A directory with a report of the small suite in `report`.
fn reported(name: &str) -> PathBuf {
    let path = directory(name);
    succeeds(&["run", "--vectors", "suite", "--report", path.join("report").to_str().unwrap()]);
    path
}

fn start(directory: &Path, words: &[&str]) -> Child {
    let mut command = program();
    command.current_dir(directory).args(words).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the output of the program; it must not wait for anything.
#[track_caller]
fn says(directory: &Path, words: &[&str]) -> ProgramOutput {
    let mut child = start(directory, words);
    for _ in 0..1_200 {
        if child.try_wait().unwrap().is_some() {
            return child.wait_with_output().unwrap().into();
        }
        wait();
    }
    child.kill().unwrap();
    panic!("{words:?}: it waits forever");
}

#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
fn wait() {
    std::thread::sleep(Duration::from_millis(50));
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Makes a second null device; only root may.
fn device(path: &Path) -> bool {
    let mut mknod = Command::new("mknod");
    let made = mknod.arg(path).args(["c", "1", "3"]).stderr(Stdio::null()).status();
    // In a sandbox a device may be made and still not be opened.
    made.is_ok_and(|status| status.success()) && OpenOptions::new().append(true).open(path).is_ok()
}

#[test]
fn a_page_goes_into_a_pipe_and_does_not_replace_it() {
    let path = reported("special-pipe");
    let (to, out) = (path.join("to"), path.join("out"));
    pipe(&to);
    let mut reader = Command::new("cat").arg(&to).stdout(File::create(&out).unwrap()).spawn().unwrap();
    let said = says(&path, &["report", "report", "-o", "to"]);
    let is_pipe = fs::symlink_metadata(&to).unwrap().file_type().is_fifo();
    if !is_pipe {
        reader.kill().unwrap();
    }
    reader.wait().unwrap();
    assert!(is_pipe, "the pipe was replaced");
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert!(fs::read_to_string(&out).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn what_a_device_takes_leaves_it_a_device() {
    let path = reported("special-device");
    let node = path.join("node");
    if !device(&node) {
        return println!("not run: only root can make devices");
    }
    for words in [
        vec!["report", "report", "-o", "node"],
        vec!["explore", "mutant:one-second-late", "--output", "node"],
    ] {
        let said = says(&path, &words);
        assert!([0, 1].contains(&said.code) && said.err.is_empty(), "{words:?}: {}", said.err);
        let kind = fs::symlink_metadata(&node).unwrap().file_type();
        assert!(kind.is_char_device(), "{words:?}: {kind:?}");
    }
}

// Links of its own take the place of `/dev/stdout`: a test that fails must not replace the one of this machine.
#[test]
fn standard_output_is_an_output_file_like_any_other() {
    let path = reported("special-stdout");
    if !Path::new("/proc/self/fd/1").exists() {
        return println!("not run: there is no /proc/self/fd/1");
    }
    let page = says(&path, &["report", "report"]).out;
    let links = [("link", "/proc/self/fd/1"), ("second", "link")];
    for (name, target) in links {
        symlink(target, path.join(name)).unwrap();
    }
    for name in ["/proc/self/fd/1", "link", "second"] {
        let said = says(&path, &["report", "report", "-o", name]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{name}");
        assert!(said.out == page, "{name}: {} bytes for {}", said.out.len(), page.len());
        // A log that was there stays.
        let log = path.join("log");
        fs::write(&log, "before\n").unwrap();
        let mut command = program();
        command.current_dir(&path).args(["report", "report", "-o", name]);
        let status = command.stdout(OpenOptions::new().append(true).open(&log).unwrap()).status().unwrap();
        assert!(status.success(), "{name}");
        let logged = fs::read_to_string(&log).unwrap();
        assert!(logged == format!("before\n{page}"), "{name}: {} bytes", logged.len());
    }
    for (name, target) in links {
        assert_eq!(fs::read_link(path.join(name)).unwrap(), Path::new(target));
    }
}

#[test]
fn a_link_stays_and_the_file_behind_it_is_written() {
    let path = reported("special-links");
    fs::create_dir(path.join("pages")).unwrap();
    fs::write(path.join("pages/there.html"), "old").unwrap();
    for (name, target) in [("there", "pages/there.html"), ("new", "pages/new.html"), ("second", "new")] {
        symlink(target, path.join(name)).unwrap();
        let said = says(&path, &["report", "report", "-o", name]);
        assert_eq!((said.code, said.out), (0, format!("{name}: written\n")), "{}", said.err);
        assert_eq!(fs::read_link(path.join(name)).unwrap(), Path::new(target));
        assert!(fs::read_to_string(path.join(target)).unwrap().starts_with("<!DOCTYPE html>"), "{name}");
    }
    symlink("loop", path.join("loop")).unwrap();
    let said = says(&path, &["report", "report", "-o", "loop"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("more than 40 links"), "{}", said.err);
    assert_eq!(fs::read_dir(path.join("pages")).unwrap().count(), 2);
}

#[test]
fn a_report_directory_with_a_pipe_or_a_device_in_it_is_refused_before_the_run() {
    for name in ["report.json", "junit.xml"] {
        let path = reported(&format!("special-directory-{name}"));
        let file = path.join("report").join(name);
        for make in [
            |file: &Path| {
                pipe(file);
                true
            },
            device,
        ] {
            fs::remove_file(&file).unwrap();
            if !make(&file) {
                fs::write(&file, "").unwrap();
                continue;
            }
            let before = fs::symlink_metadata(&file).unwrap().file_type();
            let said = says(&path, &["run", "--report", "report", "reference", "lifetime"]);
            assert_eq!((said.code, said.out.as_str()), (2, ""));
            assert!(said.err.contains(&format!("{name} is a ")), "{}", said.err);
            assert!(said.err.contains("and not a regular file"), "{}", said.err);
            assert_eq!(fs::symlink_metadata(&file).unwrap().file_type(), before);
        }
    }
}

#[test]
fn nothing_waits_for_a_pipe_where_a_file_is_read() {
    let path = copied("special-read");
    pipe(&path.join("pipe"));
    for name in ["clauses.yaml", "evidence.yaml", "lifetime.yaml", "quick.yaml", "more.yaml"] {
        let file = path.join("vectors").join(name);
        let before = fs::read(&file).ok();
        if before.is_some() {
            fs::remove_file(&file).unwrap();
        }
        pipe(&file);
        let said = says(&path, &["run", "--vectors", "vectors"]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{name}");
        assert!(said.err.contains(&format!("{name}: a named pipe, and not a regular file")), "{}", said.err);
        fs::remove_file(&file).unwrap();
        if let Some(before) = before {
            fs::write(&file, before).unwrap();
        }
    }
    for words in [
        vec!["run", "--vectors", "vectors", "--known", "pipe"],
        vec!["known", "check", "--vectors", "vectors", "pipe"],
        vec!["known", "update", "pipe", "--reason", "r", "--vectors", "vectors"],
        vec!["report", "pipe"],
        vec!["diff", "pipe", "pipe"],
    ] {
        let said = says(&path, &words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}");
        assert!(said.err.contains("pipe: a named pipe, and not a regular file"), "{words:?}: {}", said.err);
    }
}

#[test]
fn a_file_that_the_system_makes_up_or_that_is_too_large_is_refused() {
    let path = directory("special-large");
    let large = File::create(path.join("large")).unwrap();
    large.set_len(1 << 40).unwrap();
    (&large).write_all(b"{").unwrap();
    for (words, what) in [
        (["report", "large"], "1099511627776 bytes are too many: at most 67108864 are read"),
        (["report", "/proc/self/pagemap"], "is empty"),
        (["report", "/dev/zero"], "a character device, and not a regular file"),
    ] {
        if !Path::new("/proc/self/pagemap").exists() {
            continue;
        }
        let said = says(&path, &words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}");
        assert!(said.err.contains(what), "{words:?}: {}", said.err);
    }
}
