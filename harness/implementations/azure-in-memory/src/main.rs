//! Serves Microsoft's in-memory emulator over HTTP on loopback, so that the suite can be run against it.
//!
//! The emulator replaces a client's HTTP layer. This program passes requests on and adds nothing.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use azure_core::http::{Method, Request as AzureRequest, Url};
use azure_data_cosmos_driver::in_memory_emulator::{
    InMemoryEmulatorHttpClient, VirtualAccountConfig, VirtualRegion,
};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let region = VirtualRegion::new("West US", Url::parse(&url)?);
    let emulator = Arc::new(InMemoryEmulatorHttpClient::try_new(VirtualAccountConfig::new(vec![region])?)?);
    println!("{url}");
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let (emulator, url) = (Arc::clone(&emulator), url.clone());
        let service = service_fn(move |request| {
            let (emulator, url) = (Arc::clone(&emulator), url.clone());
            async move {
                let answer = pass_on(&emulator, &url, request).await;
                // What the emulator cannot answer at all is an error of the server.
                Ok::<_, Infallible>(answer.unwrap_or_else(|error| {
                    let mut response = Response::new(Full::from(error.to_string()));
                    *response.status_mut() = hyper::StatusCode::BAD_GATEWAY;
                    response
                }))
            }
        });
        tokio::spawn(async move {
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn pass_on(
    emulator: &InMemoryEmulatorHttpClient,
    url: &str,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Box<dyn Error>> {
    let (head, body) = request.into_parts();
    let method = match head.method.as_str() {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "PATCH" => Method::Patch,
        "DELETE" => Method::Delete,
        other => return Err(format!("the method {other}").into()),
    };
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut asked = AzureRequest::new(Url::parse(&format!("{url}{path}"))?, method);
    for (name, value) in &head.headers {
        asked.headers_mut().insert(name.as_str().to_owned(), value.to_str()?.to_owned());
    }
    asked.set_body(body.collect().await?.to_bytes().to_vec());
    let answer = emulator.execute_request(&asked).await?.try_into_raw_response().await?;
    let mut response = Response::builder().status(u16::from(answer.status()));
    // Hyper writes the length itself.
    let own = BTreeSet::from(["content-length", "transfer-encoding", "connection"]);
    for (name, value) in answer.headers().iter().filter(|(name, _)| !own.contains(name.as_str())) {
        response = response.header(name.as_str(), value.as_str());
    }
    let body: &[u8] = answer.body().as_ref();
    Ok(response.body(Full::from(body.to_vec()))?)
}
