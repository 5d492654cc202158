//! Which values of `ttl` an item may carry.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Edition, Operation, Properties, Status};

use super::CairnStore;
use super::flaw::CairnFlaw::*;
use super::flaw::CairnLeave;
use super::settings::{CAIRN_ABOVE, CAIRN_MAXIMUM};
use super::tables::{CairnDefault, CairnOwn, CairnPath, CairnTables};

/// The statements by which a `ttl` comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CairnEntry {
    Create,
    /// An upsert that inserts a row.
    Insert,
    /// An upsert that updates a row.
    Update,
    Replace,
    Patch,
}

impl CairnStore {
    /// Returns the property that an operation sends as the item's own lifetime.
    pub(super) fn sent_ttl<'p>(
        self,
        operation: &Operation,
        properties: &'p Properties,
    ) -> Option<&'p Literal> {
        let exact = properties.get("ttl");
        if self.has(NameIgnoresCase) && exact.is_none() {
            return properties.iter().find(|(name, _)| name.eq_ignore_ascii_case("ttl")).map(|(_, one)| one);
        }
        if self.has(PatchAlias) && exact.is_none() && matches!(operation, Operation::Patch(..)) {
            return properties.get("_ttl");
        }
        exact
    }

    /// Returns the own lifetime that a sent `ttl` means; `None` if the item inherits.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(super) fn read_own(
        self,
        tables: &CairnTables,
        entry: CairnEntry,
        path: CairnPath<'_>,
        sent: &Literal,
    ) -> Result<Option<CairnOwn>, Status> {
        let number = match sent.kind() {
            LiteralKind::Null => return self.read_null(tables, entry, path),
            LiteralKind::WholeAsFraction(_) if self.refuses_fraction(path) => {
                return self.not_allowed(tables);
            }
            LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => number,
            LiteralKind::Other if self.may(CairnLeave::OddTypesInherit) => return Ok(None),
            LiteralKind::Other => return self.not_allowed(tables),
        };
        self.read_number(tables, entry, path, number)
    }

    fn refuses_fraction(self, path: CairnPath<'_>) -> bool {
        self.may(CairnLeave::FractionItemRefused)
            || (self.may(CairnLeave::FractionRefusedInNamed) && path.partition != DEFAULT_PARTITION)
    }

    fn read_null(
        self,
        tables: &CairnTables,
        entry: CairnEntry,
        path: CairnPath<'_>,
    ) -> Result<Option<CairnOwn>, Status> {
        let of_2020 = tables.edition == Edition::Y2020;
        match entry {
            _ if of_2020 && self.has(Null2020Never) => Ok(Some(CairnOwn::Never)),
            _ if of_2020 && self.has(Null2020BatchRefused) && path.in_batch => Err(Status::BadRequest),
            CairnEntry::Patch if of_2020 && self.has(Null2020PatchRefused) => Err(Status::BadRequest),
            _ if of_2020 => Ok(None),
            CairnEntry::Insert | CairnEntry::Update if self.has(NullUpsertInherits) => Ok(None),
            CairnEntry::Patch if self.has(NullPatchRemoves) => Ok(None),
            CairnEntry::Replace if self.has(NullConditionalReplaceNever) && path.has_etag => {
                Ok(Some(CairnOwn::Never))
            }
            _ => self.not_allowed(tables),
        }
    }

    fn read_number(
        self,
        tables: &CairnTables,
        entry: CairnEntry,
        path: CairnPath<'_>,
        number: i64,
    ) -> Result<Option<CairnOwn>, Status> {
        let low = number.rem_euclid(1_i64 << 32);
        match (number, entry) {
            (-1, CairnEntry::Patch) if self.has(PatchMinusOneRefused) => Err(Status::BadRequest),
            (-1, _) if self.has(BatchMinusOneRefused) && path.in_batch => Err(Status::BadRequest),
            (-1, _) => Ok(Some(CairnOwn::Never)),
            (CAIRN_MAXIMUM, CairnEntry::Insert | CairnEntry::Update) if self.has(UpsertMaximumRefused) => {
                Err(Status::BadRequest)
            }
            (1..=CAIRN_MAXIMUM, _) if self.has(LongerThanDefaultRefused) => match tables.default() {
                CairnDefault::Seconds(default) if default < number => Err(Status::BadRequest),
                _ => Ok(Some(CairnOwn::Seconds(number))),
            },
            (1..=CAIRN_MAXIMUM, _) => Ok(Some(CairnOwn::Seconds(number))),
            (0, CairnEntry::Insert) if self.has(UpsertInsertUnchecked) => Ok(Some(CairnOwn::Seconds(0))),
            (0, CairnEntry::Patch) if self.has(PatchZeroInherits) => Ok(None),
            (0, CairnEntry::Create) if self.has(BatchCreateZeroNever) && path.in_batch => {
                Ok(Some(CairnOwn::Never))
            }
            (0, CairnEntry::Replace) if self.has(ConditionalReplaceUnchecked) && path.has_etag => {
                Ok(Some(CairnOwn::Seconds(0)))
            }
            (..-1, CairnEntry::Replace) if self.has(ReplaceNegativeNever) => Ok(Some(CairnOwn::Never)),
            (..-1, CairnEntry::Update) if self.has(UpsertNegativeNever) => Ok(Some(CairnOwn::Never)),
            (..-1, CairnEntry::Patch) if self.has(BatchPatchUnchecked) && path.in_batch => {
                Ok(Some(CairnOwn::Seconds(number)))
            }
            (CAIRN_ABOVE.., CairnEntry::Create) if self.has(CreateAboveClamps) => {
                Ok(Some(CairnOwn::Seconds(CAIRN_MAXIMUM)))
            }
            (CAIRN_ABOVE.., CairnEntry::Patch) if self.has(PatchAboveAccepted) => {
                Ok(Some(CairnOwn::Seconds(number)))
            }
            (CAIRN_ABOVE.., CairnEntry::Replace)
                if self.has(ReplaceAboveWraps) && (1..=CAIRN_MAXIMUM).contains(&low) =>
            {
                Ok(Some(CairnOwn::Seconds(low)))
            }
            (CAIRN_ABOVE.., CairnEntry::Insert | CairnEntry::Update)
                if self.has(BatchUpsertAboveAccepted) && path.in_batch =>
            {
                Ok(Some(CairnOwn::Seconds(number)))
            }
            _ => self.not_allowed(tables),
        }
    }

    /// Returns what becomes of a value that is not allowed.
    fn not_allowed(self, tables: &CairnTables) -> Result<Option<CairnOwn>, Status> {
        match self.leave {
            Some(CairnLeave::InvalidWhileOffInherits | CairnLeave::InvalidStoredRefusesPatches)
                if tables.is_off() =>
            {
                Ok(None)
            }
            Some(CairnLeave::InvalidWhileOffNever) if tables.is_off() => Ok(Some(CairnOwn::Never)),
            _ => Err(Status::BadRequest),
        }
    }
}

/// Returns an object's member that is a number of seconds under the name `ttl`.
pub(super) fn nested_ttl(literal: &Literal) -> Option<i64> {
    let value: serde_json::Value = serde_json::from_str(literal.as_str()).ok()?;
    value.get("ttl")?.as_i64().filter(|seconds| *seconds > 0)
}
