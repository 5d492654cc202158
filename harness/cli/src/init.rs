//! `cosmos-ttl init`: writes an adapter whose store is left open.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use clap::ValueEnum;
use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_targets::process::protocol::PAGE;

use crate::args::InitArgs;
use crate::report::{command, spoken};
use crate::shell::{CommandError, Output, unwritable};

/// A language of which there is an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    Python,
    Javascript,
    Java,
    Go,
    Rust,
}

struct Template {
    /// The names and texts; the last one holds the store.
    files: &'static [(&'static str, &'static str)],
    build: Option<&'static str>,
    /// The words that start the adapter; none in Rust, where each vector is a test.
    start: &'static [&'static str],
}

const PYTHON: Template = Template {
    files: &[
        ("PROTOCOL.md", PAGE),
        ("adapter.py", include_str!("../adapters/python/adapter.py")),
        ("store.py", include_str!("../adapters/python/store.py")),
    ],
    build: None,
    start: &["python3", "adapter.py"],
};

const JAVASCRIPT: Template = Template {
    files: &[
        ("PROTOCOL.md", PAGE),
        ("adapter.mjs", include_str!("../adapters/javascript/adapter.mjs")),
        ("store.mjs", include_str!("../adapters/javascript/store.mjs")),
    ],
    build: None,
    start: &["node", "adapter.mjs"],
};

const JAVA: Template = Template {
    files: &[
        ("PROTOCOL.md", PAGE),
        ("Adapter.java", include_str!("../adapters/java/Adapter.java")),
        ("Json.java", include_str!("../adapters/java/Json.java")),
        ("Store.java", include_str!("../adapters/java/Store.java")),
    ],
    build: Some("javac -d classes *.java"),
    start: &["java", "-cp", "classes", "Adapter"],
};

const GO: Template = Template {
    files: &[
        ("PROTOCOL.md", PAGE),
        ("go.mod", include_str!("../adapters/go/go.mod")),
        ("adapter.go", include_str!("../adapters/go/adapter.go")),
        ("requests.go", include_str!("../adapters/go/requests.go")),
        ("store.go", include_str!("../adapters/go/store.go")),
    ],
    build: Some("go build -o adapter ."),
    start: &["./adapter"],
};

const RUST: Template = Template {
    files: &[
        // Under the name `Cargo.toml` it would be a package of its own, and no part of this one.
        ("Cargo.toml", include_str!("../adapters/rust/manifest.toml")),
        ("tests/ttl/main.rs", include_str!("../adapters/rust/main.rs")),
        ("tests/ttl/target.rs", include_str!("../adapters/rust/target.rs")),
    ],
    build: Some("cargo test --test ttl"),
    start: &[],
};

impl Language {
    fn template(self) -> &'static Template {
        match self {
            Language::Python => &PYTHON,
            Language::Javascript => &JAVASCRIPT,
            Language::Java => &JAVA,
            Language::Go => &GO,
            Language::Rust => &RUST,
        }
    }
}

pub(super) fn init(args: &InitArgs) -> Result<Output, CommandError> {
    let Template { files, build, start } = args.language.template();
    let paths: Vec<_> = files.iter().map(|(name, text)| (args.directory.join(name), text)).collect();
    if let Some((path, _)) = paths.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let help = "name another directory; nothing was written";
        return Err(Diagnostic::of_path(path.display(), "is there already", help).into());
    }
    let help = "name a directory that can be written to";
    // All directories come first: without one of them there is no file that would be there already the next time.
    for parent in paths.iter().filter_map(|(path, _)| path.parent()) {
        fs::create_dir_all(parent).map_err(|err| unwritable(parent, &err, help))?;
    }
    let mut lines = Vec::new();
    for (path, text) in &paths {
        let text = text.replace("VERSION", env!("CARGO_PKG_VERSION"));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|err| unwritable(path, &err, help))?;
        lines.push(format!("wrote {}", plain(&path.display().to_string())));
    }
    let store = files.last().map_or("", |(name, _)| name);
    lines.push(format!("\nnext: let the methods in {store} call your store, then"));
    let directory = args.directory.to_string_lossy();
    // `cd` takes a name with a hyphen for an option, or `-` for the directory before.
    let here = if directory.starts_with('-') { "./" } else { "" };
    lines.push(spoken("  cd", [&*format!("{here}{directory}")]));
    lines.extend(build.map(|build| format!("  {build}")));
    if !start.is_empty() {
        let words = || ["--"].into_iter().chain(start.iter().copied());
        lines.extend([spoken("  cosmos-ttl smoke", words()), format!("  {}", command(words()))]);
    }
    Ok((lines.join("\n") + "\n").into())
}
