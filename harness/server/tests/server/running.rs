//! A server on a free port, for a test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::throughput::Throughput;
use cosmos_ttl_server::listener::{Limits, PlainHttp, listen, serve};
use cosmos_ttl_server::{ClockKind, CosmosEndpoint, EndpointConfig, ModelFactory};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use tokio::sync::oneshot;

/// Serves until it is dropped.
pub(crate) struct RunningServer {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunningServer {
    pub(crate) fn start(config: EndpointConfig, limits: Limits) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (ready, address) = std::sync::mpsc::channel();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let thread = std::thread::spawn(move || {
            runtime.block_on(async move {
                let listener = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
                ready.send(listener.local_addr().unwrap()).unwrap();
                let stop = async {
                    let _ = stopped.await;
                };
                serve(listener, Arc::new(CosmosEndpoint::new(config)), limits, PlainHttp, stop)
                    .await
                    .unwrap();
            });
        });
        Self { address: address.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// Returns a server with a virtual clock.
    pub(crate) fn with(config: EndpointConfig) -> Self {
        Self::start(EndpointConfig { clock: ClockKind::Virtual, ..config }, Limits::default())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn target(&self) -> HttpTarget {
        HttpTarget::connect(HttpConfig::new(&self.url(), None).unwrap()).unwrap()
    }

    /// Ends the server, and waits for its end.
    pub(crate) fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns a server that decides as the model does under these choices.
pub(crate) fn model(preferences: Preferences) -> EndpointConfig {
    EndpointConfig::new(Box::new(ModelFactory { preferences, throughput: Throughput::Serverless }))
}
