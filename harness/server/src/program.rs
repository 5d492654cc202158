//! The program `cosmos-ttl-server`.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;

use crate::arguments::ServerArguments;
use crate::endpoint::CosmosEndpoint;
use crate::listener::{Handshake, PlainHttp, listen, serve};

/// Does what the command line says, until a signal ends it.
pub fn main() -> ExitCode {
    let arguments = ServerArguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result =
        runtime.map_err(|error| error.to_string()).and_then(|runtime| runtime.block_on(run(&arguments)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

async fn run(arguments: &ServerArguments) -> Result<(), String> {
    #[cfg(feature = "tls")]
    if let (Some(certificate), Some(key)) = (&arguments.tls_certificate, &arguments.tls_key) {
        let handshake = crate::tls::TlsHandshake::load(certificate, key)?;
        return run_with(arguments, handshake).await;
    }
    run_with(arguments, PlainHttp).await
}

async fn run_with<H: Handshake>(arguments: &ServerArguments, handshake: H) -> Result<(), String> {
    let listener = listen(arguments.listen).await?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // The first line is the URL alone, so that a script can read it.
    let _ = writeln!(std::io::stdout(), "{}://{address}\n{}", H::SCHEME, arguments.greeting());
    let endpoint = Arc::new(CosmosEndpoint::new(arguments.logged(arguments.endpoint())?));
    serve(listener, endpoint, arguments.limits(), handshake, stopped())
        .await
        .map_err(|error| error.to_string())
}

/// Waits for Ctrl-C, or for the signal that ends a process in good order.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
