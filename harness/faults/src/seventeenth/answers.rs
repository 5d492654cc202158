//! Items as answers show them.

use cosmos_ttl_harness::target::{Document, Item, Operation, Properties};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::tables::{CairnKey, CairnRow, CairnTables};
use super::values::nested_ttl;

impl CairnStore {
    /// Returns the etag of a row.
    pub(super) fn etag(self, key: &CairnKey, row: &CairnRow) -> String {
        match self.leave {
            Some(CairnLeave::OddEtags) => format!("W/\"{} \u{e9},{:b}\"", key.1, row.version),
            Some(CairnLeave::EtagsCountedForEachKey) => row.version.to_string(),
            _ => format!("\"{:08x}\"", row.version),
        }
    }

    /// Returns an item as the answer to a client shows it.
    pub(super) fn shown(
        self,
        tables: &CairnTables,
        operation: &Operation,
        row: &CairnRow,
        partition: &str,
    ) -> Item {
        let id = operation.id().to_owned();
        let key = (partition.to_owned(), id.clone());
        let mut properties: Properties = row.body.clone();
        if self.has(PartsExpire) {
            let age = tables.now.saturating_sub(row.ts);
            properties.retain(|_, value| nested_ttl(value).is_none_or(|seconds| age < seconds));
        }
        let is_write = !matches!(operation, Operation::Read(_));
        let hides_ts = self.may(CairnLeave::NoTs) || (self.may(CairnLeave::WritesShowNoTs) && is_write);
        Item {
            document: Document { id, properties },
            ts: (!hides_ts).then_some(row.ts),
            etag: (!self.may(CairnLeave::NoEtags)).then(|| self.etag(&key, row)),
        }
    }
}
