//! Mutations of a store: each value is one misreading of the clauses, and the store has one place where it matters.

use cosmos_ttl_harness::target::Status;

/// Declares the words that mutations are made of.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident $(($($data:ty),+))?),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum $name { $($(#[$word_doc])* $word $(($($data),+))?),+ }
    )+};
}

words! {
    /// One misreading of the clauses.
    Mutation {
        /// A value that is not valid is taken.
        Takes(On, Via, Given, Taken),
        /// A value that is a setting is refused.
        Refuses(On, Via, Given),
        /// A container that says nothing is taken to say this.
        AbsentDefault(Taken),
        /// Another property counts as `ttl` too, if there is no `ttl`.
        Alias(&'static str),
        /// Another property counts, even if there is a `ttl`.
        AliasFirst(&'static str),
        /// A `ttl` below the root counts, if there is none at the root.
        NestedCounts,
        /// A refusal with this status leaves something behind.
        Leaves(Status, Leftover),
        /// While the container is off, a value that is not valid is confirmed, and not stored.
        ForgetsInvalidWhileOff,
        /// A refused creation still makes the container.
        RefusedMakesContainer,
        /// A second creation is a conflict, and its settings take effect.
        SecondCreationSettles,
        /// An event does this to every item, or to the default.
        After(Event, Effect),

        /// Items in these cells of the table live as long as this.
        Cell(&'static [TtlCell], Lifespan),
        /// Numbers count as thousandths of a second.
        Unit(i128),
        /// A number is the second of the epoch at which the item ends.
        Absolute,
        // Items are shown as they are not.
        ShowsNoTtl, ShowsDefault, ShowsRemaining, HidesOldParts, ShowsExpiredEmpty, ShowsTsOfCreation,
        ShowsTsInMinutes, ShowsTsOfNow,
        // A write changes its own `ttl`.
        WritesDefaultBack, WritesMinusOneBack, DropsTtlWhileOff,

        /// This kind of access sees items for this number of seconds past their deadline.
        Sees(Access, i128),
        /// This kind of access misreads the settings or the table.
        Misreads(Access, Reading),
        // An item's life counts from another moment.
        CountsFromCreation, CountsFromContainer, CountsFromLastSettings, CountsFromSwitchingOn, CountsFromFullMinute,
        /// The life of an item that has a `ttl` of its own counts from the last switching on.
        CountsFromWaking,
        // Deadlines wrap, or end, as a number of 32 bits.
        DeadlineWraps, DeadlineSaturates, DeadlineWrapsUnsigned, ClockWraps,
        /// Expiry is checked only once in this number of seconds.
        LooksEvery(i128),
        /// A client's `_ts` is taken, by this kind of write.
        TakesTs(Via),
        PatchOfTsConflicts,
        /// An item's life counts from the moment within a second at which the item was written.
        CountsFractions,

        /// This kind of write does not restart the count.
        NoRestart(WriteKind),
        /// This restarts the count of what it finds, although it is no write.
        Restarts(Access),
        // A write that changes `ttl` goes wrong.
        NewTtlCountsFromOldTs, NewTtlIsIgnored, NewTtlIsAdded, NewTtlOnlyShortens, NewTtlOnlyLengthens,
        RemovedTtlIsNever,
        /// A write without `ttl` keeps the old one.
        KeepsTtl(Via),
        /// Each write of a batch is a second later than the one before.
        BatchSpreads,
        // An aborted batch does not take this back.
        AbortKeepsAll, AbortKeepsCreates, AbortKeepsPatches, AbortKeepsDeletes, AbortKeepsTs,

        /// An item that is written over an expired one keeps this of it.
        Reborn(Via, KeptPart),
        /// An expired item that is still stored is answered this.
        Answers(Access, Status),
        /// Conditions are ignored.
        NoConditions,
        /// A write that is refused for two reasons is answered as an error of the server.
        TwoRefusalsAreAnError,
        /// An aborted batch blames its first operation, whichever was refused.
        BatchBlamesFirst,
        // Counts are wrong.
        CountsOverwritten, SubtractsExpiredTwice, SubtractsRefusedDeletes,

        // The background removes wrongly.
        SweepTakesYoungest, SweepIsEarly, SweepGoesByDefault, SweepGoesByFirstDeadline, SweepIgnoresMinusOne,
        SweepTakesPicked, SweepTakesPickedIfUnwritten, SweepsWhileOff, SweepLeavesIdTaken,
        SweptAnswersGone, SweepCutsContent,

        // Other settings than the current ones decide.
        /// Items that this kind of write wrote live by the default of that moment.
        DefaultAtWriteBy(Via),
        DefaultAtWrite, DefaultAtWriteIfLonger, DefaultAtWriteIfShorter, DefaultAtWriteIfOff, DefaultASecondLate,
        FirstDefault, MinusOneKeepsDefault, DormantTtlIsForgotten,
        // Items come back wrongly.
        DeletedReturn, OverwrittenReturn, RemovedReturn, ReturnRenewed, ReturnEmpty, ReturnForQueriesOnly,
        ReturnForOneLook,
        /// The `_ts` of a deleted item comes back, with the next of its id.
        TsOfDeletedReturns,
        // The index and the default do not go together.
        NoIndexIsFine, NoIndexIsFineAtCreation, NoIndexIsFineLater, NoIndexIsFineWithMinusOne, NoIndexIsRefused,
        NoIndexSwitchesOff, NoIndexKeepsDefault, NoIndexIsForGood, LazyIsRefused, LazyNeverExpires,
        ConsistentIndexLags,

        // An item is taken for another one.
        /// Who looks so finds the item of another partition where the own one has none.
        LooksInAllPartitions(Access),
        /// Partition and id are one text.
        KeysAreJoined,
        SweepTakesAllPartitions, SweepTakesLongerIds, OnlyTheDefaultPartitionExpires, IdsAreDecoded,
        // Pages do not add up.
        PagesCountVisible, PagesCountStored, PagesAreOfTheFirst, EmptyPageIsTheLast,

        /// An item keeps its etag when it is written. No clause forbids it.
        EtagsStay,
    }

    /// Where a setting is.
    On { Container, Item }

    /// With which kind of request.
    Via {
        Any, Create, Upsert, Replace, Patch,
        /// Any write in a batch.
        Batch,
        CreateInBatch, UpsertInBatch, ReplaceInBatch, PatchInBatch,
    }

    /// Which values.
    Given {
        Anything, Zero,
        /// `-0`
        MinusZero,
        /// 0 with a fraction or an exponent.
        ZeroAsFraction,
        MinusOne, BelowMinusOne,
        /// A whole number below -1 with a fraction or an exponent.
        BelowAsFraction,
        /// The lowest number that 32 bits hold.
        Lowest32,
        One, Maximum, AboveMaximum,
        /// More than a float holds.
        Infinite,
        LongerThanDefault, Fraction, WholeFraction, Text, Truth, List, Object, Null,
    }

    /// The value for which another one is taken.
    Taken {
        /// As if it were not there.
        Absent,
        /// As -1.
        Never,
        /// As a life of no length.
        AtOnce,
        /// As the number that can be read out of it.
        Number,
        /// As the number that its last 32 bits spell.
        Last32,
        /// As the number that its last 64 bits spell.
        Last64,
        /// As the greatest number that is allowed.
        Greatest,
        /// As what was in force before.
        Before,
    }

    /// The traces that a refused write leaves.
    Leftover {
        /// All that it was to store.
        Content,
        /// A new item only.
        NewItem,
        /// The other properties of a patch.
        RestOfPatch,
        /// A restarted count.
        Restart,
        /// Nothing, not even the item that was there.
        Nothing,
        /// A restarted count on every item.
        RestartOfAll,
    }

    /// The events that must change no item, except the one that they may be about.
    Event { RefusedSettings, SecondCreation, NewSettings, SwitchingOn, SwitchingOff, Removal, Creation, Replace, Delete }

    /// The change of every item, or of the default.
    Effect { RestartsAll, RenewsEtags, CutsContent, CutsTtl, LosesItems, SwitchesOff, DropsDefault }

    /// The cells of the table: what the container says, then what the item says.
    TtlCell {
        OffAbsent, OffNever, OffOwn, OnAbsent, OnNever, OnOwn, DefaultAbsent, DefaultNever, DefaultOwn,
    }

    /// How long an item lives.
    Lifespan { Never, Default, Own, Shorter, Longer, Sum, Seconds(i128) }

    /// Who looks for an item.
    Access {
        All, Read, ReadInBatch, Query, List, Count, Create, Upsert, Replace, Patch, Delete,
        /// A replace, patch or delete with a condition.
        Conditional,
        /// Any write in a batch.
        InBatch,
        CreateInBatch, ReplaceInBatch, PatchInBatch, DeleteInBatch,
        Background,
    }

    /// How the settings or the table are misread.
    Reading {
        /// Off lets an item's own `ttl` count.
        OffHonoursOwn,
        /// `defaultTtl` -1 is off.
        MinusOneIsOff,
        /// An item's -1 is none.
        MinusOneInherits,
        OnlyDefault, OnlyOwn, Shorter,
        /// The settings of the creation, and those before the last change.
        FirstSettings, PreviousSettings,
    }

    /// Which write.
    WriteKind {
        UpsertInBatch, ReplaceInBatch, PatchInBatch, ConditionalPatch, Replace, ConditionalReplace, Upsert, Patch, PatchOfOthers, PatchOfTtl, InBatch, IdenticalReplace,
        IdenticalUpsert, IdenticalPatch, WithOwnTtl,
    }

    /// The part of the expired item that the new item in its place keeps.
    KeptPart { Ttl, Content, Ts, Etag }
}

impl Via {
    /// Returns whether a write of this kind, in a batch or not, is one of these.
    pub(crate) fn covers(self, via: Self, in_batch: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Batch => in_batch,
            Self::CreateInBatch => in_batch && via == Self::Create,
            Self::UpsertInBatch => in_batch && via == Self::Upsert,
            Self::ReplaceInBatch => in_batch && via == Self::Replace,
            Self::PatchInBatch => in_batch && via == Self::Patch,
            _ => self == via,
        }
    }
}
