//! On this machine's clock, with real waiting.

use std::sync::Arc;

use cosmos_ttl_harness::realtime::{Monotonic, Options, Time, run_real};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::verdict::VerdictKind;

use crate::passing::Real;
use crate::remote::{CALM, Remote, Trouble};
use crate::{count, others, vectors};

fn run(seed: u64, change: impl FnOnce(&mut Remote)) -> (Run<'static>, i64) {
    let time = Monotonic::start();
    let mut remote = Remote::new(Arc::new(Real(time)), seed);
    change(&mut remote);
    let run = run_real(&remote, &vectors(3), &Options::default()).unwrap();
    (run, time.now_us())
}

#[test]
fn a_right_store_passes() {
    let (run, now_us) = run(1, |_| {});
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
    assert!(now_us < 15_000_000, "{now_us}");
}
