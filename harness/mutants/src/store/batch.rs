//! Several operations, all or none.

use super::Store;
use crate::mutation::{Mutation as M, Undone};
use cosmos_ttl_harness::target::{Body, Operation, Response, Status};

impl Store {
    pub(super) fn batch(&mut self, operations: &[Operation]) -> Response {
        let before = self.clone();
        self.batch = true;
        let mut statuses = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            if self.errs(M::BatchSpreads) {
                self.past.spread = i128::try_from(at).unwrap_or(0);
            }
            match self.operate(operation) {
                Ok(response) => statuses.push(response.status),
                Err(status) => {
                    self.take_back(before, operations.get(..at).unwrap_or(&[]));
                    return Response { body: Body::Aborted { at }, ..Response::new(status) };
                }
            }
        }
        self.batch = false;
        self.past.spread = 0;
        Response { body: Body::Committed(statuses), ..Response::new(Status::Ok) }
    }

    /// Undoes what the operations did, save what is kept by mistake.
    fn take_back(&mut self, before: Self, operations: &[Operation]) {
        let after = std::mem::replace(self, before);
        let Some(M::AbortKeeps(kept)) = self.variant.mutation else { return };
        let patched = |id: &str| {
            operations.iter().any(|one| matches!(one, Operation::Patch(patch, _) if patch.id == id))
        };
        let was = |id: &str| self.rows.iter().any(|row| row.id == id);
        match kept {
            Undone::All => self.rows = after.rows,
            Undone::Deletes => self.rows.retain(|row| after.rows.iter().any(|after| after.id == row.id)),
            Undone::Creates => {
                let created: Vec<_> = after.rows.into_iter().filter(|row| !was(&row.id)).collect();
                self.rows.extend(created);
            }
            Undone::Patches | Undone::Ts => {
                for row in &mut self.rows {
                    match after.rows.iter().find(|after| after.id == row.id) {
                        Some(after) if kept == Undone::Ts => row.written = after.written,
                        Some(after) if patched(&row.id) => row.clone_from(after),
                        _ => {}
                    }
                }
            }
        }
    }
}
