//! Every vector is a test: `cargo test --test ttl`, or `cargo test --test ttl lifetime/` for one section.

mod target;

fn main() -> std::process::ExitCode {
    cosmos_ttl_harness::cargo_test::main(target::my_store())
}
