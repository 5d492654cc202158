//! `cosmos-ttl known`

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::args::{KnownCommand, NewKind, RunArgs, UpdateArgs};
use super::replay::replay;
use super::run::with_targets;
use super::target::TargetName;
use crate::shell::CommandError;
use crate::shell::atomic_write;
use crate::shell::filter::{filter_profile, filter_vectors};
use crate::shell::{Format, VectorsArgs};
use crate::shell::{Output, suite};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::known_failures::{
    self, Adding, FailureKind, KnownFailures, ListChange, ListChangeKind, UpdatePlan, UpdateRefusal, blank,
    plan,
};
use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_report::diagnostic::render_message;
use cosmos_ttl_report::style::RenderOptions;
use cosmos_ttl_report::vectors;

pub(super) fn known(command: &KnownCommand, look: RenderOptions) -> Result<Output, CommandError> {
    match command {
        KnownCommand::Update(args) => update(args, look),
        KnownCommand::Check { file, vectors } => check(file, vectors).map(Output::from),
        KnownCommand::Convert { file, check, vectors } => convert(file, *check, vectors),
    }
}

fn check(file: &Path, args: &VectorsArgs) -> Result<String, CommandError> {
    let suite = suite(args)?;
    let known = KnownFailures::load(file, &suite)?;
    let named: std::collections::BTreeSet<_> = known.names().collect();
    let (file, count) = (visible(known.file()), entries(known.len()));
    Ok(format!("{file}: {count}, of {} of {}\n", named.len(), vectors(suite.vectors.len())))
}

/// Brings a list of an earlier format to the present one; with `only_check` it only says whether there is need.
fn convert(file: &Path, only_check: bool, args: &VectorsArgs) -> Result<Output, CommandError> {
    let conversion = known_failures::convert(file, &suite(args)?)?;
    let name = visible(&file.display().to_string());
    if conversion.after == conversion.before {
        return Ok(format!("{name}: up to date\n").into());
    }
    let changed = entries(conversion.entries);
    if only_check {
        let text = format!("{name}: {changed} to convert; `cosmos-ttl known convert {name}` writes it\n");
        return Ok(Output { text, code: 1 });
    }
    write(file, Some(&conversion.before), &conversion.after)?;
    Ok(format!("{name}: {changed} converted; written\n").into())
}

fn update(args: &UpdateArgs, look: RenderOptions) -> Result<Output, CommandError> {
    refuse_ci(env::var_os("CI"))?;
    refuse_words(args)?;
    let reason = reason(args.reason.as_deref())?;
    let (target, filters) = TargetName::split(&args.run.words, &args.run.command)?;
    let suite = suite(&args.run.vectors)?;
    let vectors = filter_vectors(&suite, filters).map_err(|trouble| with_targets(trouble, &args.run))?;
    let vectors = filter_profile(&suite, args.run.vectors.profile, vectors)?;
    let stored = args.file.exists().then(|| KnownFailures::load(&args.file, &suite)).transpose()?;
    let run = replay(&target, &vectors, &args.run, |_| Ok(()))?;
    let is_new = stored.is_none();
    let known = stored.map_or_else(|| nothing(&args.file, &suite, &run), Ok)?;
    let kind = match args.kind {
        NewKind::Bug => FailureKind::Bug,
        NewKind::WontFix => FailureKind::WontFix,
    };
    let adding = Adding { reason, kind, strict: args.run.strict };
    match plan(&known, &suite, &run, adding) {
        Ok(plan) => written(&known, &plan, is_new, &args.file),
        Err(refusal) => refused(&known, refusal, look),
    }
}

/// A list is a decision of people; a machine that made it anew would let every failure pass.
fn refuse_ci(ci: Option<OsString>) -> Result<(), CommandError> {
    match ci {
        Some(ci) if !["", "0", "false"].iter().any(|no| ci.eq_ignore_ascii_case(no)) => {
            Err(CommandError::usage(
                "a list of known failures is not changed in CI, where it would let every failure pass",
                "run this where somebody looks at the change, and commit it; CI is set in the environment",
            ))
        }
        _ => Ok(()),
    }
}

fn refuse_words(args: &UpdateArgs) -> Result<(), CommandError> {
    let file = args.file.to_string_lossy();
    if TargetName::is_meant(&file) {
        let help = "the list comes first: `cosmos-ttl known update FILE TARGET`";
        return Err(CommandError::usage("a target stands where the list should", help));
    }
    let help = "`cosmos-ttl known update FILE` runs without another list, and says what it did as text";
    match &args.run {
        RunArgs { known: Some(_), .. } => Err(CommandError::usage("--known says nothing here", help)),
        RunArgs { report: Some(_), .. } => Err(CommandError::usage("--report says nothing here", help)),
        RunArgs { format: Format::Json, .. } => Err(CommandError::usage("--format says nothing here", help)),
        _ => Ok(()),
    }
}

fn reason(reason: Option<&str>) -> Result<Option<&str>, CommandError> {
    match reason.map(str::trim) {
        Some("") => {
            Err(CommandError::usage("an empty reason", "--reason TEXT says why the new failures fail"))
        }
        reason => Ok(reason),
    }
}

/// A list that is not there yet.
fn nothing(file: &Path, suite: &Suite, run: &Run<'_>) -> Result<KnownFailures, Diagnostic> {
    let source = Source { name: file.display().to_string(), text: blank(&run.about.name) };
    KnownFailures::parse(&Arc::new(source), suite)
}

fn written(
    known: &KnownFailures,
    plan: &UpdatePlan,
    is_new: bool,
    file: &Path,
) -> Result<Output, CommandError> {
    let changed = is_new || plan.text != known.text();
    if changed {
        write(file, if is_new { None } else { Some(known.text()) }, &plan.text)?;
    }
    let code = u8::from(plan.count(&[ListChangeKind::Left]) > 0);
    Ok(Output { text: summary(known, plan, changed), code })
}

/// Writes beside the file and moves it there, so that nobody ever sees half of it. Refuses where somebody else changed the
/// file during the run.
fn write(file: &Path, before: Option<&str>, text: &str) -> Result<(), CommandError> {
    let now = match fs::read_to_string(file) {
        Ok(now) => Some(now),
        Err(err) if err.kind() == ErrorKind::NotFound => None,
        Err(err) => return Err(unwritable(file, &err).into()),
    };
    if now.as_deref() != before {
        let what = format!("{}: somebody changed it during the run", file.display());
        return Err(CommandError::usage(what, "nothing was written; run it once more"));
    }
    atomic_write(file, text).map_err(|err| unwritable(file, &err).into())
}

fn unwritable(file: &Path, err: &std::io::Error) -> Diagnostic {
    Diagnostic::of_path(file.display(), format!("cannot be written: {err}"), "nothing was changed")
}

fn summary(known: &KnownFailures, plan: &UpdatePlan, changed: bool) -> String {
    use ListChangeKind as K;
    let mut lines: Vec<_> =
        plan.changes.iter().map(|one| format!("  {:<8} {}", one.kind, failure(one))).collect();
    let counts = [
        (plan.count(&[K::Added]), "added"),
        (plan.count(&[K::Changed, K::Lowered]), "changed"),
        (plan.count(&[K::Removed]), "removed"),
        (plan.count(&[K::Left]), "left to decide on"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0).chain([(plan.kept, "kept")]);
    let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let end = if changed { "written" } else { "up to date" };
    lines.push(format!("{}: {}; {end}", visible(known.file()), counts.join(", ")));
    lines.join("\n") + "\n"
}

fn failure(change: &ListChange) -> String {
    format!("{}: {}", visible(&change.subject), change.message)
}

fn refused(
    known: &KnownFailures,
    refusal: UpdateRefusal,
    look: RenderOptions,
) -> Result<Output, CommandError> {
    let file = known.file();
    match refusal {
        // A run that says too little is no wrong use: it says so, with the code that it would have had.
        UpdateRefusal::Unjudged(outcome, why) => {
            let (code, what) = match outcome {
                Outcome::NotRun => (3, "the run is incomplete"),
                Outcome::Broken => (4, "the target, or the way to it, broke"),
                _ => (3, "nothing can be said of what is on the list"),
            };
            let help = "nothing was written; run it once more";
            crate::shell::write_stderr(&render_message(&format!("{what}: {why}"), help, look));
            Ok(Output { text: String::new(), code })
        }
        UpdateRefusal::NoReason(new) => {
            let failures =
                if new.len() == 1 { "1 failure is".into() } else { format!("{} failures are", new.len()) };
            Err(CommandError::usage(
                format!("{file}: {failures} not on the list, and there is no reason for them"),
                format!(
                    "--reason TEXT says why they fail; nothing was written\n{}",
                    new.iter().map(failure).collect::<Vec<_>>().join("\n")
                ),
            ))
        }
        UpdateRefusal::TooMany(what) => Err(CommandError::usage(
            format!("{file}: {what}"),
            "raise its `max`, or name the new ones with an `id` each; nothing was written",
        )),
        UpdateRefusal::Layout(why) => Err(CommandError::usage(
            format!("{file}: cannot be edited entry by entry: {why}"),
            "give each entry lines of its own, the first `- id: …`, and each value one line; nothing was written",
        )),
    }
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".into() } else { format!("{count} entries") }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// An empty directory.
    fn directory(name: &str) -> PathBuf {
        let path = env::temp_dir().join(format!("cosmos-ttl-known-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn what_somebody_else_wrote_meanwhile_is_not_lost() {
        let directory = directory("meanwhile");
        let file = directory.join("known.yaml");
        assert!(write(&file, Some("before"), "after").is_err(), "it went away");
        fs::write(&file, "other").unwrap();
        for before in [None, Some("before")] {
            assert!(write(&file, before, "after").is_err());
            assert_eq!(fs::read_to_string(&file).unwrap(), "other");
        }
        assert!(write(&file, Some("other"), "after").is_ok());
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "nothing stays beside it");
        fs::remove_dir_all(directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_file_keeps_its_permissions() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let directory = directory("link");
        let (file, link) = (directory.join("list.yaml"), directory.join("known.yaml"));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        assert!(write(&link, Some("before"), "after").is_ok());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(directory).unwrap();
    }
}
