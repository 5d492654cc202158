//! A Cosmos endpoint by URL and key: the service, an emulator, or whatever speaks its REST API.

mod config;
mod key;
mod text;

pub use config::HttpConfig;
pub use key::Key;
