//! `--profile all` and the directory of derived vectors.

use std::fs;

use crate::program::{ProgramOutput, copied, program};

/// A run of all vectors of a directory whose `derived` this makes.
fn run(name: &str, derived: impl FnOnce(&std::path::Path)) -> ProgramOutput {
    let directory = copied(name);
    let path = directory.join("vectors/derived");
    let _ = fs::remove_dir_all(&path);
    derived(&path);
    let words = ["run", "--profile", "all", "--vectors", "vectors"];
    program().current_dir(directory).args(words).output().unwrap().into()
}

#[track_caller]
fn check_refused(said: &ProgramOutput, what: &str) {
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{}", said.err);
    assert!(said.err.contains(what), "{}", said.err);
}

#[test]
fn all_vectors_are_refused_where_the_derived_ones_are_missing_empty_or_a_link_to_nowhere() {
    check_refused(&run("derived-missing", |_| {}), "vectors/derived: no derived vectors");
    check_refused(&run("derived-empty", |path| fs::create_dir(path).unwrap()), "no derived vectors");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        check_refused(&run("derived-dangling", |path| symlink("nowhere", path).unwrap()), "vectors/derived");
        check_refused(&run("derived-looping", |path| symlink("derived", path).unwrap()), "vectors/derived");
    }
}
