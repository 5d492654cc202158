//! Builds the vectors into the library, so that a program finds them wherever it runs, and says which rules these are.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use sha2::{Digest as _, Sha256};

fn main() -> io::Result<()> {
    embed_vectors()?;
    digest_model()
}

/// What identifies the rules: a digest of the files that say them, whatever their line endings.
fn digest_model() -> io::Result<()> {
    let directory = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../model/src");
    let mut digest = Sha256::new();
    for name in ["rule.rs", "container.rs", "interpretation.rs", "throughput.rs"] {
        let path = directory.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        digest.update(fs::read_to_string(&path)?.replace('\r', ""));
    }
    let hex = digest.finalize().iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let code = format!("/// What identifies the rules of this build.\nconst MODEL_DIGEST: &str = {hex:?};\n");
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("model_digest.rs"), code)
}

fn embed_vectors() -> io::Result<()> {
    let directory = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../vectors");
    let mut code = embedded("EMBEDDED", "", &directory)?;
    code += &embedded("EMBEDDED_DERIVED", "derived/", &directory.join("derived"))?;
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs"), code)
}

/// The files of a directory, by name; what the derived vectors cover is for people.
fn embedded(table: &str, prefix: &str, directory: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml")
            && !path.ends_with("certificate.yaml")
        {
            names.push(path);
        }
    }
    names.sort();
    let mut code =
        format!("/// The files of `vectors/{prefix}`, by name.\nstatic {table}: &[(&str, &str)] = &[\n");
    for path in names {
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        let path = path.canonicalize()?;
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    Ok(code)
}
