//! The HTML page in a real browser: it fits a telephone, nothing is complained of, and something is to be seen.
//!
//! The browser is Chromium or Chrome, without a window: the one that `COSMOS_TTL_CHROMIUM` names, or the first on the path.
//! Where there is none, each test says that it was not run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, process};

use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_reference::Reference;
use cosmos_ttl_report::page;
use cosmos_ttl_report::{Report, RunCommand};
use cosmos_ttl_testing::run_all;
use cosmos_ttl_testing::twisted::{Wrong, careless};
use libtest_mimic::{Completion, Failed, Trial};

const VARIABLE: &str = "COSMOS_TTL_CHROMIUM";
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("the_page_fits_a_narrow_screen", the_page_fits_a_narrow_screen),
        trial("the_browser_complains_of_nothing", the_browser_complains_of_nothing),
        trial("something_is_to_be_seen", something_is_to_be_seen),
    ]
}

fn trial(name: &str, test: fn(&Browser) -> Result<(), Failed>) -> Trial {
    Trial::ignorable_test(name, move || match browser() {
        Some(program) => {
            // A browser is several processes of its own.
            super::alone(&super::BROWSER, || {
                let directory = env::temp_dir().join(format!("cosmos-ttl-browser-{}", process::id()));
                let _ = fs::remove_dir_all(&directory);
                fs::create_dir_all(&directory)?;
                let done = test(&Browser { program, directory: directory.clone() });
                let _ = fs::remove_dir_all(directory);
                done.map(|()| Completion::Completed)
            })
        }
        None => Ok(Completion::ignored_with(format!(
            "no browser: {VARIABLE} is not set, and the path has none of {}",
            NAMES.join(", ")
        ))),
    })
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
fn pages() -> Vec<(&'static str, String)> {
    let failing = report(&Wrong(careless));
    let right = report(&Reference::default());
    vec![("failing", page(std::slice::from_ref(&failing))), ("side", page(&[right.clone(), failing, right]))]
}

fn report(target: &dyn Target) -> Report {
    let suite = embedded().unwrap();
    let run = run_all(target, &suite);
    Report::of(&suite, &run, &RunCommand { target: "reference".into(), ..RunCommand::default() })
}

/// Returns the width of a page in a window of this width, in pixels.
fn width_of(browser: &Browser, page: &str, room: usize) -> Result<usize, Failed> {
    // A copy may run a script, which measures; whoever holds the frame writes down what it says, for a window of the
    // browser itself cannot be that narrow.
    let measure = "<script>addEventListener('load', () => parent.postMessage(document.documentElement.scrollWidth, '*'))</script>";
    let (policy, rest) = page.split_once("<meta http-equiv").ok_or("no policy")?;
    let (_, rest) = rest.split_once('>').ok_or("no policy")?;
    let copy = format!("{policy}{rest}").replace("</body>", &format!("{measure}</body>"));
    browser.file("copy.html", &copy)?;
    let frame = format!(
        "<!DOCTYPE html><body><script>addEventListener('message', e => document.body.append('width=' + e.data + ';'))</script>\
         <iframe src=\"copy.html\" width=\"{room}\" height=\"800\" style=\"border: 0\"></iframe></body>"
    );
    let frame = browser.file("frame.html", &frame)?;
    let (dom, said) = browser.show(&["--dump-dom", "--window-size=1600,1000"], &frame)?;
    // The script itself has the words, too; the number follows only where it was said.
    let mut said_widths = dom.split("width=").filter_map(|rest| rest.split_once(';')?.0.parse().ok());
    said_widths.next().ok_or_else(|| format!("nothing was measured: {said}").into())
}

fn the_page_fits_a_narrow_screen(browser: &Browser) -> Result<(), Failed> {
    for (name, page) in pages() {
        for room in [320, 360, 1280] {
            let width = width_of(browser, &page, room)?;
            if room < width {
                return Err(format!("{name}: {width} pixels wide, and there is room for {room}").into());
            }
        }
    }
    // The measure itself notices what is too wide.
    let wide =
        pages().remove(0).1.replace("<footer>", "<div><svg width=\"900\" height=\"9\"></svg></div><footer>");
    match width_of(browser, &wide, 360)? {
        width if 900 <= width => Ok(()),
        width => Err(format!("a page that is too wide measures {width}").into()),
    }
}

fn the_browser_complains_of_nothing(browser: &Browser) -> Result<(), Failed> {
    for (name, page) in pages() {
        let file = browser.file("page.html", &page)?;
        let (dom, said) = browser.show(&["--dump-dom"], &file)?;
        if let Some(line) = said.lines().find(|line| line.contains("CONSOLE")) {
            return Err(format!("{name}: {line}").into());
        }
        if !dom.contains("id=\"main\"") {
            return Err(format!("{name}: the page is not there").into());
        }
    }
    // What is forbidden is refused, and said.
    let page = pages().remove(0).1.replace("<footer>", "<script>alert(1)</script><footer>");
    let file = browser.file("page.html", &page)?;
    let (_, said) = browser.show(&["--dump-dom"], &file)?;
    if said.contains("Content Security Policy") { Ok(()) } else { Err("a script was not refused".into()) }
}

fn something_is_to_be_seen(browser: &Browser) -> Result<(), Failed> {
    let blank = browser.file("blank.html", "<!DOCTYPE html><title>blank</title>")?;
    for size in ["360,800", "1280,1000"] {
        let bytes = |file: &Path| -> Result<u64, Failed> {
            let picture = browser.directory.join("picture.png");
            let _ = fs::remove_file(&picture);
            let screenshot = format!("--screenshot={}", picture.display());
            browser.show(&[&screenshot, &format!("--window-size={size}")], file)?;
            Ok(fs::metadata(picture)?.len())
        };
        let empty = bytes(&blank)?;
        for (name, page) in pages() {
            let file = browser.file("page.html", &page)?;
            let full = bytes(&file)?;
            // A picture of one colour has next to no bytes.
            if full < empty.saturating_mul(5) {
                return Err(format!("{name} at {size}: {full} bytes, of a blank page {empty}").into());
            }
        }
    }
    Ok(())
}
