//! Containers that are used again: on a paid account each container costs at least an hour of its throughput.
//!
//! A session that ends in good order sets its container back: time to live is switched off, so that every item that is
//! still stored shows, and all items are deleted. A container that cannot be set back is deleted itself.

use std::sync::{Mutex, PoisonError};

use super::wire::ContainerLink;

/// The containers that wait for a session, each empty.
#[derive(Debug, Default)]
pub(super) struct ContainerPool(Mutex<Vec<ContainerLink>>);

impl ContainerPool {
    pub(super) fn take(&self) -> Option<ContainerLink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(super) fn put(&self, container: ContainerLink) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(container);
    }
}
