//! The HTML page in a real browser: it fits a telephone, nothing is complained of, and something is to be seen.
//!
//! The browser is Chromium or Chrome, without a window: the one that `COSMOS_TTL_CHROMIUM` names, or the first on the path.
//! Where there is none, the test says that it was not run. To start it takes most of the time, so one start shows every
//! page in frames, and a second one takes a picture.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, process};

use cosmos_ttl::report::page;
use cosmos_ttl::report::{Report, RunCommand};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_testing::twisted::{Wrong, careless};
use cosmos_ttl_testing::{run_all, small_suite};
use libtest_mimic::{Completion, Failed, Trial};

const VARIABLE: &str = "COSMOS_TTL_CHROMIUM";
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PATIENCE: Duration = Duration::from_secs(120);

/// The widths of the frames, in pixels.
const ROOMS: [usize; 3] = [320, 360, 1280];

pub(crate) fn trials() -> Vec<Trial> {
    let test = || match browser() {
        Some(program) => {
            let directory = env::temp_dir().join(format!("cosmos-ttl-browser-{}", process::id()));
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory)?;
            let done = check(&Browser { program, directory: directory.clone() });
            let _ = fs::remove_dir_all(directory);
            done.map(|()| Completion::Completed)
        }
        None => Ok(Completion::ignored_with(format!(
            "no browser: {VARIABLE} is not set, and the path has none of {}",
            NAMES.join(", ")
        ))),
    };
    vec![Trial::ignorable_test(
        "pages_fit_a_narrow_screen_can_be_seen_and_the_browser_complains_of_nothing",
        test,
    )]
}

/// The browser to use.
fn browser() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let found = || {
        let all = NAMES.iter().flat_map(|name| env::split_paths(&path).map(move |place| place.join(name)));
        all.into_iter().find(|program| program.is_file())
    };
    named.or_else(found)
}

/// A browser without a window, whose profile and files are in a directory of its own.
struct Browser {
    program: PathBuf,
    directory: PathBuf,
}

impl Browser {
    /// A file for it to show.
    fn file(&self, name: &str, text: &str) -> Result<PathBuf, Failed> {
        let path = self.directory.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Shows a file; its result, and its other output.
    fn show(&self, options: &[&str], file: &Path) -> Result<(String, String), Failed> {
        let (out, err) = (self.directory.join("out"), self.directory.join("err"));
        let mut profile = std::ffi::OsString::from("--user-data-dir=");
        profile.push(self.directory.join("profile"));
        let mut child = Command::new(&self.program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args([
                "--hide-scrollbars",
                "--no-first-run",
                "--enable-logging=stderr",
                "--virtual-time-budget=5000",
            ])
            .arg(profile)
            .args(options)
            .arg(format!("file://{}", file.display()))
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .spawn()?;
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if PATIENCE < started.elapsed() {
                child.kill()?;
                child.wait()?;
                return Err(format!("the browser took longer than {} s", PATIENCE.as_secs()).into());
            }
            sleep(Duration::from_millis(50));
        }
        Ok((fs::read_to_string(out)?, String::from_utf8_lossy(&fs::read(err)?).into_owned()))
    }
}

/// Pages that matter: of a target that fails, and of two reports side by side.
fn pages() -> [(&'static str, String); 2] {
    let failing = report(&Wrong(careless));
    let right = report(&Reference::default());
    [("failing", page(std::slice::from_ref(&failing))), ("side", page(&[right.clone(), failing, right]))]
}

fn report(target: &dyn Target) -> Report {
    let suite = small_suite();
    let run = run_all(target, &suite);
    Report::of(&suite, &run, &RunCommand { target: "reference".into(), ..RunCommand::default() })
}

/// A copy of a page that measures itself, which the page must not: its width in pixels, and how much text is shown.
fn measured(name: &str, page: &str) -> Result<String, Failed> {
    let (policy, rest) = page.split_once("<meta http-equiv").ok_or("no policy")?;
    let (_, rest) = rest.split_once('>').ok_or("no policy")?;
    let measure = format!(
        "<script>addEventListener('load', () => parent.postMessage('{name}=' + document.documentElement.scrollWidth \
         + ',' + document.body.innerText.length, '*'))</script>"
    );
    Ok(format!("{policy}{rest}").replace("</body>", &format!("{measure}</body>")))
}

/// The width and the length of the text that a page in a frame has measured.
fn size(dom: &str, name: &str) -> Result<(usize, usize), Failed> {
    let (_, size) = dom.split_once(&format!("{name}=")).ok_or_else(|| format!("{name} was not measured"))?;
    let (width, length) = size.split_once(';').and_then(|(size, _)| size.split_once(',')).ok_or("no size")?;
    Ok((width.parse()?, length.parse()?))
}

fn check(browser: &Browser) -> Result<(), Failed> {
    let pages = pages();
    let mut frames = String::new();
    let mut add = |name: &str, text: &str, room: usize| -> Result<(), Failed> {
        browser.file(&format!("{name}.html"), text)?;
        let style = "style=\"border: 0\"";
        write!(frames, "<iframe src=\"{name}.html\" width=\"{room}\" height=\"800\" {style}></iframe>")?;
        Ok(())
    };
    for (name, page) in &pages {
        add(name, page, 1280)?;
        for room in ROOMS {
            let name = format!("{name}-{room}");
            add(&name, &measured(&name, page)?, room)?;
        }
    }
    // The measure itself notices what is too wide, and what is forbidden is refused.
    let extended = |more: &str| pages[0].1.replace("<footer>", &format!("{more}<footer>"));
    add("wide", &measured("wide", &extended("<div><svg width=\"900\" height=\"9\"></svg></div>"))?, 360)?;
    add("forbidden", &extended("<script>alert(1)</script>"), 360)?;
    let frame = browser.file(
        "frame.html",
        &format!(
            "<!DOCTYPE html><body><script>addEventListener('message', e => document.body.append(e.data + ';'))</script>{frames}</body>"
        ),
    )?;
    let (dom, said) = browser.show(&["--dump-dom", "--window-size=1600,1000"], &frame)?;
    for (name, _) in &pages {
        for room in ROOMS {
            let (width, length) =
                size(&dom, &format!("{name}-{room}")).map_err(|why| format!("{why:?}: {said}"))?;
            if room < width {
                return Err(format!("{name}: {width} pixels wide, and there is room for {room}").into());
            }
            if length < 1000 {
                return Err(format!("{name}: only {length} characters are shown").into());
            }
        }
    }
    if size(&dom, "wide")?.0 < 900 {
        return Err("a page that is too wide was not noticed".into());
    }
    let (forbidden, complaints): (Vec<_>, Vec<_>) = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .partition(|line| line.contains("/forbidden.html"));
    if let Some(line) = complaints.first() {
        return Err((*line).into());
    }
    if !forbidden.iter().any(|line| line.contains("Content Security Policy")) {
        return Err(format!("a script was not refused: {said}").into());
    }
    let picture = browser.directory.join("picture.png");
    let screenshot = format!("--screenshot={}", picture.display());
    browser.show(&[&screenshot, "--window-size=360,800"], &browser.directory.join("failing.html"))?;
    // A picture of one colour has about 2 kB.
    match fs::metadata(picture)?.len() {
        bytes if bytes < 20_000 => Err(format!("a picture of the page has only {bytes} bytes").into()),
        _ => Ok(()),
    }
}
