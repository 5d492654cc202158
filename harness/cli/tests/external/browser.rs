//! The HTML page in a real browser: it fits a telephone, nothing is complained of, and something is to be seen.
//!
//! The browser is Chromium or Chrome, without a window: the one that `COSMOS_TTL_CHROMIUM` names, or the first on the path.
//! Where there is none, the test says that it was not run. To start it takes most of the time, so one start shows every
//! page in frames.

use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use cosmos_ttl::report::{Report, RunCommand, page};
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
        Some(program) => check(&program).map(|()| Completion::Completed),
        None => Ok(Completion::ignored_with(format!(
            "no browser: {VARIABLE} is not set, and none is on the path"
        ))),
    };
    vec![Trial::ignorable_test("pages_fit_a_narrow_screen_and_the_browser_complains_of_nothing", test)]
}

fn browser() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = || {
        NAMES.iter().find_map(|name| {
            env::split_paths(&path).map(|place| place.join(name)).find(|program| program.is_file())
        })
    };
    env::var_os(VARIABLE).map(PathBuf::from).or_else(found)
}

/// Shows the file `frame.html` of a directory; the page in the end, and what the browser says besides.
fn show(program: &Path, directory: &Path) -> Result<(String, String), Failed> {
    let (out, err) = (directory.join("out"), directory.join("err"));
    let mut child = Command::new(program)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args(["--hide-scrollbars", "--enable-logging=stderr", "--virtual-time-budget=5000"])
        .args(["--dump-dom", "--window-size=1600,1000"])
        .arg(format!("--user-data-dir={}", directory.join("profile").display()))
        .arg(format!("file://{}", directory.join("frame.html").display()))
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

fn report(target: &dyn Target) -> Report {
    let suite = small_suite();
    let run = run_all(target, &suite);
    Report::of(&suite, &run, &RunCommand { target: "reference".into(), ..RunCommand::default() })
}

/// A copy of a page that measures itself, which the page must not: its width in pixels, and how much text is shown.
fn measured(name: &str, page: &str) -> Result<String, Failed> {
    let (before, rest) = page.split_once("<meta http-equiv").ok_or("no policy")?;
    let (_, rest) = rest.split_once('>').ok_or("no policy")?;
    let measure = format!(
        "<script>addEventListener('load', () => parent.postMessage('{name}=' + document.documentElement.scrollWidth \
         + ',' + document.body.innerText.length, '*'))</script>"
    );
    Ok(format!("{before}{rest}").replace("</body>", &format!("{measure}</body>")))
}

/// The width and the length of the text that a page in a frame has measured.
fn size(dom: &str, name: &str) -> Result<(usize, usize), Failed> {
    let (_, size) = dom.split_once(&format!("{name}=")).ok_or_else(|| format!("{name} was not measured"))?;
    let (width, length) = size.split_once(';').and_then(|(size, _)| size.split_once(',')).ok_or("no size")?;
    Ok((width.parse()?, length.parse()?))
}

fn check(program: &Path) -> Result<(), Failed> {
    let directory = cosmos_ttl_testing::program::scratch("browser");
    let (right, failing) = (report(&Reference::default()), report(&Wrong(careless)));
    let pages =
        [("failing", page(std::slice::from_ref(&failing))), ("side", page(&[right.clone(), failing, right]))];
    let extended = |more: &str| pages[0].1.replace("<footer>", &format!("{more}<footer>"));
    let mut frames = vec![
        // The measure itself notices what is too wide, and what is forbidden is refused.
        (
            "wide".to_owned(),
            measured("wide", &extended("<div><svg width=\"900\" height=\"9\"></svg></div>"))?,
            360,
        ),
        ("forbidden".to_owned(), extended("<script>alert(1)</script>"), 360),
    ];
    for (name, page) in &pages {
        frames.push(((*name).to_owned(), page.clone(), 1280));
        for room in ROOMS {
            frames.push((format!("{name}-{room}"), measured(&format!("{name}-{room}"), page)?, room));
        }
    }
    let mut frame = String::from(
        "<!DOCTYPE html><body><script>addEventListener('message', e => document.body.append(e.data + ';'))</script>",
    );
    for (name, page, room) in &frames {
        fs::write(directory.join(format!("{name}.html")), page)?;
        write!(
            frame,
            "<iframe src=\"{name}.html\" width=\"{room}\" height=\"800\" style=\"border: 0\"></iframe>"
        )?;
    }
    fs::write(directory.join("frame.html"), frame + "</body>")?;
    let (dom, said) = show(program, &directory)?;
    for name in ["failing", "side"] {
        for room in ROOMS {
            let (width, length) =
                size(&dom, &format!("{name}-{room}")).map_err(|why| format!("{why:?}: {said}"))?;
            if room < width || length < 1000 {
                return Err(
                    format!("{name}: {width} pixels wide of {room}, {length} characters shown").into()
                );
            }
        }
    }
    assert!(900 <= size(&dom, "wide")?.0, "a page that is too wide was not noticed");
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let (forbidden, complaints): (Vec<_>, Vec<_>) =
        console.partition(|line| line.contains("/forbidden.html"));
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(forbidden.iter().any(|line| line.contains("Content Security Policy")), "a script ran: {said}");
    Ok(())
}
