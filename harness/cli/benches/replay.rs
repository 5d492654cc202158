//! How fast the vectors are replayed in process, and how much of that is the harness's own doing.
//!
//! The harness's share is measured with a target that only hands out the answers that the reference gave before.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::collections::VecDeque;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::{Conclusion, Run, Tally, run_virtual};
use cosmos_ttl_harness::target::{About, Fault, Request, RequestOptions, Response, Session, Target};
use cosmos_ttl_harness::vector::{Vector, embedded};

const ROUNDS: u32 = 30;

fn main() {
    let started = Instant::now();
    let suite = embedded().unwrap();
    let loading = started.elapsed();
    let vectors: Vec<&Vector> = suite.vectors.iter().collect();

    let reference = Reference::default();
    let recorder = Recorder { inner: &reference, answers: Mutex::default() };
    let run = run_virtual(&recorder, &vectors).unwrap();
    assert_eq!(Tally::of(&run).conclusion(true), Conclusion::Conformant);
    let answers = recorder.answers.into_inner().unwrap();
    let echo = Echo { about: reference.about(), answers: Mutex::default() };

    let reference_time = best(|| {
        let started = Instant::now();
        check(&run_virtual(&reference, &vectors).unwrap());
        started.elapsed()
    });
    let echo_time = best(|| {
        echo.answers.lock().unwrap().clone_from(&answers);
        let started = Instant::now();
        check(&run_virtual(&echo, &vectors).unwrap());
        started.elapsed()
    });

    let requests = f64::from(u32::try_from(run.requests).unwrap());
    println!("vectors                {}", vectors.len());
    println!("requests               {} (each vector under every schedule of removal)", run.requests);
    println!("loading the vectors    {:.2} ms", loading.as_secs_f64() * 1e3);
    println!("replay                 {:.2} ms, best of {ROUNDS}", reference_time.as_secs_f64() * 1e3);
    println!("requests a second      {:.0}", requests / reference_time.as_secs_f64());
    println!(
        "the harness's share    {:.0} %",
        100.0 * echo_time.as_secs_f64() / reference_time.as_secs_f64()
    );
    let program = best(whole_program);
    println!(
        "the whole program      {:.1} ms from start to end, best of {ROUNDS}",
        program.as_secs_f64() * 1e3
    );
}

fn check(run: &Run<'_>) {
    assert_eq!(Tally::of(run).conclusion(true), Conclusion::Conformant);
}

fn best(mut measure: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| measure()).min().unwrap()
}

/// `cosmos-ttl`, as `cargo run --release` runs it once it is built.
fn whole_program() -> Duration {
    let started = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_cosmos-ttl")).stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
    started.elapsed()
}

/// Passes everything on and keeps the answers.
struct Recorder<'a> {
    inner: &'a Reference,
    answers: Mutex<VecDeque<Response>>,
}

struct Recording<'a> {
    inner: Box<dyn Session + 'a>,
    answers: &'a Mutex<VecDeque<Response>>,
}

impl Target for Recorder<'_> {
    fn about(&self) -> About {
        self.inner.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Recording { inner: self.inner.open()?, answers: &self.answers }))
    }
}

impl Session for Recording<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let response = self.inner.send_with(request, options)?;
        self.answers.lock().unwrap().push_back(response.clone());
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.inner.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.inner.purge()
    }
}

/// Hands out answers in order, whatever is asked.
struct Echo {
    about: About,
    answers: Mutex<VecDeque<Response>>,
}

struct Echoing<'a>(&'a Mutex<VecDeque<Response>>);

impl Target for Echo {
    fn about(&self) -> About {
        self.about.clone()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Echoing(&self.answers)))
    }
}

impl Session for Echoing<'_> {
    fn send(&mut self, _: &Request) -> Result<Response, Fault> {
        self.0
            .lock()
            .unwrap()
            .pop_front()
            .ok_or_else(|| Fault::Misuse("more requests than were recorded".into()))
    }

    fn send_with(&mut self, request: &Request, _: &RequestOptions) -> Result<Response, Fault> {
        self.send(request)
    }

    fn pass(&mut self, _: u64) -> Result<(), Fault> {
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}
