//! A way to a server that takes time: forwards each connection, and holds back all bytes, in both directions.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::listener::Listener;

/// Forwards to `host:port`. Each way takes half of the round trip.
pub fn slow_proxy(server: &str, round_trip: Duration) -> Listener {
    let server = server.to_owned();
    Listener::new(move |client| {
        let Ok(server) = TcpStream::connect(&server) else { return };
        for (from, to) in [(&client, &server), (&server, &client)] {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            thread::spawn(move || forward(from, to, round_trip / 2));
        }
    })
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
