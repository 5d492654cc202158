//! Builds the vectors into the library, so that a program finds them wherever it runs.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let directory = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../vectors");
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            names.push(path);
        }
    }
    names.sort();
    let mut code =
        String::from("/// The files of `vectors/`, by name.\nstatic EMBEDDED: &[(&str, &str)] = &[\n");
    for path in names {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.canonicalize()?;
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs"), code)
}
