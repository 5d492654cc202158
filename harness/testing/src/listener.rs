//! A server on loopback, with a thread for each connection.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Listens until it is dropped.
pub struct Listener {
    address: String,
    over: Arc<AtomicBool>,
}

impl Listener {
    /// Serves each connection so.
    pub fn new(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let over = Arc::new(AtomicBool::new(false));
        let (end, serve) = (Arc::clone(&over), Arc::new(serve));
        thread::spawn(move || {
            for stream in listener.incoming().take_while(|_| !end.load(Ordering::SeqCst)).flatten() {
                let serve = Arc::clone(&serve);
                thread::spawn(move || serve(stream));
            }
        });
        Self { address, over }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
    }
}
