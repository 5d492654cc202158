//! A way to a server that takes time: forwards each connection, and holds back all bytes, in both directions.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Listens until it is dropped.
pub struct SlowProxy {
    address: String,
    over: Arc<AtomicBool>,
}

impl SlowProxy {
    /// Forwards to `host:port`. Each way takes half of the round trip.
    pub fn new(server: &str, round_trip: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let over = Arc::new(AtomicBool::new(false));
        let (end, server) = (Arc::clone(&over), server.to_owned());
        thread::spawn(move || {
            for client in listener.incoming().take_while(|_| !end.load(Ordering::SeqCst)) {
                let Ok((client, server)) =
                    client.and_then(|client| Ok((client, TcpStream::connect(&server)?)))
                else {
                    continue;
                };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    thread::spawn(move || forward(from, to, round_trip / 2));
                }
            }
        });
        Self { address, over }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for SlowProxy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
    }
}

/// Reads all the time, so that bytes that come one after another are held back at the same time.
#[expect(clippy::disallowed_methods, reason = "a way that takes time")]
fn forward(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let _ = to.set_nodelay(true);
        for (due, bytes) in receiver {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    });
    let mut bytes = vec![0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        if sender.send((Instant::now() + delay, bytes[..length].to_vec())).is_err() {
            break;
        }
    }
}
