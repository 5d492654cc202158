//! The `ttl` that a client sends.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Operation, Properties};

use super::engine::{Lifespan, OwnTtl};
use super::faults::batches::BatchSlip;
use super::faults::values::ValueSlip;
use super::leeway::Leeway;
use super::session::LsmSession;
use super::slip::Slip;
use crate::number::{self, GREATEST, Sent, SentNumber};

impl LsmSession {
    /// Returns the `ttl` of the item that an operation writes; `None` if it is refused.
    ///
    /// A patch that does not name `ttl`, and an operation that writes nothing, send none.
    pub(super) fn sent_ttl(&self, operation: &Operation) -> Option<OwnTtl> {
        let Some(properties) = operation.properties() else { return Some(OwnTtl::Inherit) };
        let usual = self.usual_ttl(properties);
        match self.slip {
            Some(Slip::Value(slip)) => self.wrong_ttl(slip, operation, properties, usual),
            Some(Slip::Batch(BatchSlip::OnlyFirstChecked)) if self.batch_at.is_some_and(|at| at > 0) => {
                usual.or(Some(OwnTtl::Inherit))
            }
            Some(Slip::Batch(BatchSlip::UpsertsUnchecked))
                if self.batch_at.is_some() && matches!(operation, Operation::Upsert(_)) =>
            {
                usual.or(Some(OwnTtl::Inherit))
            }
            _ => usual,
        }
    }

    fn usual_ttl(&self, properties: &Properties) -> Option<OwnTtl> {
        let read = match number::read(properties.get("ttl")) {
            Sent::Absent => Some(OwnTtl::Inherit),
            Sent::Null => self.is_of_2020.then_some(OwnTtl::Inherit),
            Sent::Number(number) if number.fractional && self.may(Leeway::RefusesPointZero) => None,
            Sent::Number(number) => read_number(number),
            Sent::Other => self.may(Leeway::StoresText).then_some(OwnTtl::Inherit),
        };
        let stores_wrong = self.may(Leeway::StoresWrongWhileOff) && self.default_now() == Lifespan::Off;
        read.or_else(|| stores_wrong.then_some(OwnTtl::Inherit))
    }

    fn wrong_ttl(
        &self,
        slip: ValueSlip,
        operation: &Operation,
        properties: &Properties,
        usual: Option<OwnTtl>,
    ) -> Option<OwnTtl> {
        use OwnTtl::{Inherit, Never, Seconds};
        let sent = number::read(properties.get("ttl"));
        let value = if let Sent::Number(number) = sent { number.value } else { 10 };
        let seconds = |value: i128| i64::try_from(value).ok().map(Seconds);
        let (in_batch, is_null) = (self.batch_at.is_some(), sent == Sent::Null);
        let is_patch = matches!(operation, Operation::Patch(..));
        let is_upsert = matches!(operation, Operation::Upsert(_));
        let is_replace = matches!(operation, Operation::Replace(..));
        let low_32 = value.rem_euclid(1 << 32);
        let default = self.default_now();
        let named = |name: &str| match number::read(properties.get(name)) {
            Sent::Number(number) if usual == Some(Inherit) => read_number(number).or(usual),
            _ => usual,
        };
        match slip {
            ValueSlip::ZeroIsNever if value == 0 => Some(Never),
            ValueSlip::ZeroByUpsert if is_upsert && value == 0 => Some(Inherit),
            ValueSlip::ZeroByPatch if is_patch && value == 0 => Some(Inherit),
            ValueSlip::ZeroInBatch if in_batch && value == 0 => Some(Inherit),
            ValueSlip::UncheckedUnderMinusOne if default == Lifespan::NoDefault => usual.or(Some(Never)),
            ValueSlip::NegativeIsNever if value < -1 => Some(Never),
            ValueSlip::NegativeByReplace if is_replace && value < -1 => Some(Inherit),
            ValueSlip::NegativeByPatch if is_patch && value < -1 => Some(Never),
            ValueSlip::AboveIsGreatest if value > GREATEST => seconds(GREATEST),
            ValueSlip::AboveByReplace if is_replace && value > GREATEST => seconds(value.min(1 << 50)),
            ValueSlip::AboveByPatchInBatch if is_patch && in_batch && value > GREATEST => Some(Never),
            ValueSlip::UnsignedLimit if value > GREATEST && value < 1 << 32 => seconds(value),
            ValueSlip::Wraps32 if value > GREATEST && (1..=GREATEST).contains(&low_32) => seconds(low_32),
            ValueSlip::Wraps64 if value == (1 << 64) - 1 => Some(Never),
            ValueSlip::InfiniteIsNever if value > 1 << 90 => Some(Never),
            ValueSlip::GreatestRefused if value == GREATEST => None,
            ValueSlip::GreatestRefusedByPatch if is_patch && value == GREATEST => None,
            ValueSlip::OneRefusedByReplace if is_replace && value == 1 => None,
            ValueSlip::MinusOneRefused if value == -1 => None,
            ValueSlip::MinusOneRefusedByPatch if is_patch && value == -1 => None,
            ValueSlip::MinusOneNeedsDefault if value == -1 && default == Lifespan::NoDefault => None,
            ValueSlip::NullInherits if is_null && !is_patch && !is_upsert && !in_batch => Some(Inherit),
            ValueSlip::NullByUpsert if is_null && is_upsert => Some(Inherit),
            ValueSlip::NullByPatch if is_null && is_patch => Some(Inherit),
            ValueSlip::NullInBatch if is_null && in_batch => Some(Inherit),
            ValueSlip::NullRefusedIn2020 if is_null => None,
            ValueSlip::NullIsNeverIn2020 if is_null && self.is_of_2020 => Some(Never),
            ValueSlip::LongerRefused if matches!(default, Lifespan::Seconds(n) if value > i128::from(n)) => {
                if matches!(sent, Sent::Number(_)) {
                    None
                } else {
                    usual
                }
            }
            ValueSlip::RefusedWhileOff if default == Lifespan::Off => {
                usual.filter(|own| !matches!(own, Seconds(_)))
            }
            ValueSlip::UnderscoreCounts => named("_ttl"),
            ValueSlip::UpperCounts => named("TTL"),
            ValueSlip::LongNameCounts => named("timeToLive"),
            ValueSlip::NestedCounts if usual == Some(Inherit) => {
                properties.values().find_map(nested).and_then(read_number).or(usual)
            }
            ValueSlip::NestedChecked if properties.values().any(|one| nested(one).is_some_and(is_wrong)) => {
                None
            }
            ValueSlip::UpperChecked if matches!(number::read(properties.get("TTL")), Sent::Number(one) if is_wrong(one)) => {
                None
            }
            ValueSlip::DroppedInWhileOff if default == Lifespan::Off => usual.map(|_| Inherit),
            _ => usual,
        }
    }
}

fn read_number(number: SentNumber) -> Option<OwnTtl> {
    match number.value {
        -1 => Some(OwnTtl::Never),
        1..=GREATEST => i64::try_from(number.value).ok().map(OwnTtl::Seconds),
        _ => None,
    }
}

fn is_wrong(number: SentNumber) -> bool {
    read_number(number).is_none()
}

/// Returns the `ttl` inside an object.
fn nested(literal: &Literal) -> Option<SentNumber> {
    let object: serde_json::Value = serde_json::from_str(literal.as_str()).ok()?;
    match number::read(Some(&Literal::from(object.get("ttl")?))) {
        Sent::Number(number) => Some(number),
        _ => None,
    }
}
