//! How mistakes read settings and values of `ttl`. Everything here is `None` in a correct store.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::Edition;

use super::HiveStore;
use super::handle::{HiveCall, HiveOver};
use super::slip::HiveSlip::*;
use super::values::{HIVE_MOST_S, HiveDefault, HiveRefused, HiveSettings, HiveTtl, low_bits, whole};

impl HiveStore {
    /// Returns what a mistake makes of the `ttl` that an operation sends; `None` where it makes no difference.
    pub(super) fn misread_ttl(
        self,
        literal: &Literal,
        call: &HiveCall,
    ) -> Option<Result<HiveTtl, HiveRefused>> {
        let number = whole(literal);
        let is_zero = number == Some(0);
        let is_above = number.is_some_and(|number| number > HIVE_MOST_S);
        let is_below = number.is_some_and(|number| number < -1);
        let is_minus_one = number == Some(-1);
        let is_null = literal.kind() == LiteralKind::Null;
        let is_fraction = matches!(literal.kind(), LiteralKind::WholeAsFraction(_));
        let is_2020 = call.edition == Edition::Y2020;
        let is_word = |word| call.word == word;
        let on = !call.is_off;
        let inherit = Some(Ok(HiveTtl::Inherit));
        let never = Some(Ok(HiveTtl::Never));
        let refused = Some(Err(HiveRefused));
        match self.slip? {
            ConditionalReplaceTakesZero if on && is_word("replace") && call.is_conditional && is_zero => {
                inherit
            }
            ConditionalPatchTakesAbove if is_word("patch") && call.is_conditional && is_above => never,
            UpsertOverTakesBelow if is_word("upsert") && call.over == HiveOver::Living && is_below => never,
            UpsertOverExpiredTakesAbove
                if is_word("upsert") && call.over == HiveOver::Expired && is_above =>
            {
                never
            }
            BatchChecksFirst if call.in_batch && call.position > 0 && (is_zero || is_below) => inherit,
            BatchChecksLastOfItem if call.is_followed && (is_zero || is_below || is_above) => inherit,
            BatchConditionUnchecked if call.in_batch && call.is_conditional && is_zero => inherit,
            PatchWithRemoveUnchecked if call.removes && is_below => never,
            SpawningWriteUnchecked if call.is_named && call.is_first && is_zero => inherit,
            PatchRefusesMinusOne if is_word("patch") && is_minus_one => refused,
            MinusOneNeedsDefault if is_minus_one && call.default == HiveDefault::NoDefault => refused,
            OffRefusesMinusOne if call.is_off && is_minus_one => refused,
            PatchCappedByDefault if is_word("patch") => match (number, call.default) {
                (Some(number), HiveDefault::Seconds(default)) if number > default => refused,
                _ => None,
            },
            UpsertMostExclusive if is_word("upsert") && number == Some(HIVE_MOST_S) => refused,
            PatchBelowAgeRefused if is_word("patch") && on => match number {
                Some(number) if number > 0 && number <= call.age_s => refused,
                _ => None,
            },
            BatchTakesNull if call.in_batch && is_null => inherit,
            PatchNullRemoves if is_word("patch") && is_null => inherit,
            NullUpsertKeeps if is_2020 && is_word("upsert") && is_null => Some(Ok(call.own)),
            NullPatchNever if is_2020 && is_word("patch") && is_null => never,
            NullRefusedInBatch if call.in_batch && is_null => refused,
            NullNeedsDefault if is_null && call.default == HiveDefault::NoDefault => refused,
            NegativeZero if literal.as_str() == "-0" => never,
            ReplaceTruncates if is_word("replace") && !is_fraction => {
                match low_bits(number.filter(|number| *number < i64::MAX)?) {
                    low @ 1..=HIVE_MOST_S => Some(Ok(HiveTtl::Seconds(low))),
                    _ => None,
                }
            }
            UpsertDropsHugeNumbers if is_word("upsert") && number == Some(i64::MAX) => inherit,
            ExponentUnchecked if is_fraction && is_above => never,
            PatchTakesZeroFraction if is_word("patch") && is_fraction && is_zero => inherit,
            NoneRefusesTtl if call.is_unindexed => refused,
            PatchRoundsToFloat if is_word("patch") => {
                // 24 bits are the digits of a small float.
                let number = number.filter(|number| (1 << 24..1 << 25).contains(number))?;
                Some(Ok(HiveTtl::Seconds(number - number.rem_euclid(2))))
            }
            _ => None,
        }
    }

    /// Returns what a mistake makes of a `defaultTtl`; `None` where it makes no difference.
    pub(super) fn misread_default(
        self,
        literal: &Literal,
        old: Option<HiveSettings>,
    ) -> Option<Result<HiveDefault, HiveRefused>> {
        let number = whole(literal);
        let replacing = old.is_some();
        let is_null = literal.kind() == LiteralKind::Null;
        match (self.slip?, number) {
            (SetZeroIsOff, Some(0)) if replacing => Some(Ok(HiveDefault::Off)),
            (SetBelowIsNoDefault, Some(..=-2)) if replacing => Some(Ok(HiveDefault::NoDefault)),
            (SetAboveIsMost, Some(2_147_483_648..)) if replacing => {
                Some(Ok(HiveDefault::Seconds(HIVE_MOST_S)))
            }
            (DefaultTruncates, Some(number)) if number > HIVE_MOST_S && number < i64::MAX => {
                match low_bits(number) {
                    -1 => Some(Ok(HiveDefault::NoDefault)),
                    low @ 1.. => Some(Ok(HiveDefault::Seconds(low))),
                    _ => None,
                }
            }
            (SetMostExclusive, Some(HIVE_MOST_S)) if replacing => Some(Err(HiveRefused)),
            (NullIsNoDefault, None) if is_null && replacing => Some(Ok(HiveDefault::NoDefault)),
            (NullKeepsDefault, None) if is_null => old.map(|old| Ok(old.default)),
            (ExponentDefaultUnchecked, Some(2_147_483_648..)) if literal.as_str().contains(['e', 'E']) => {
                Some(Ok(HiveDefault::NoDefault))
            }
            _ => None,
        }
    }
}
