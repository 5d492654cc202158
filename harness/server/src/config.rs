//! The configuration of a server, except its address.

use std::time::SystemTime;

use crate::clock::{ClockKind, machine_clock};
use crate::item_store::{RemovalSchedule, StoreFactory};
use crate::signature::SigningKey;

/// The configuration of a server, except its address.
#[derive(Debug)]
pub struct EndpointConfig {
    /// The key with which requests are signed; `None` if signatures are not checked.
    pub key: Option<SigningKey>,
    /// Whose clock counts.
    pub clock: ClockKind,
    /// This machine's clock.
    pub machine_clock: fn() -> SystemTime,
    /// When expired items are removed, until a control request says otherwise.
    pub removal: RemovalSchedule,
    /// Whether control requests are answered; they are not signed.
    pub control: bool,
    /// How many bytes of memory the items may take.
    pub most_bytes: usize,
    /// The stores that decide about time to live.
    pub stores: Box<dyn StoreFactory>,
}

impl EndpointConfig {
    /// Returns a configuration with these stores, the key of every emulator, and this machine's clock.
    pub fn new(stores: Box<dyn StoreFactory>) -> Self {
        Self {
            key: Some(SigningKey::default()),
            clock: ClockKind::Real,
            machine_clock,
            removal: RemovalSchedule::Eager,
            control: true,
            most_bytes: 256 * 1024 * 1024,
            stores,
        }
    }
}
