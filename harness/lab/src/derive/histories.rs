//! The settings of a container and their changes, for combinations.

use cosmos_ttl_harness::target::{Edition, Indexing};

/// The moment of a change of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeMoment {
    BeforeItems,
    /// A second before the probes.
    BeforeProbes,
    AfterProbes,
}

/// A request that changes settings, or that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingsRequest {
    /// Replaces the settings; `None` is off.
    Replace(Option<i64>),
    /// Creates the container a second time.
    CreateAgain(Option<i64>),
}

/// The settings of a container, from its creation on.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingsHistory {
    pub(super) slug: &'static str,
    pub(super) words: &'static str,
    /// `None` is off.
    pub(super) first: Option<i64>,
    pub(super) changes: &'static [(ChangeMoment, SettingsRequest)],
    pub(super) indexing: Indexing,
    pub(super) edition: Edition,
}

impl SettingsHistory {
    /// Whether queries see all items: a change of settings under a lazy index builds it again.
    pub(super) const fn is_index_complete(&self) -> bool {
        matches!(self.indexing, Indexing::Consistent) || self.changes.is_empty()
    }
}

pub(super) const HISTORIES: [SettingsHistory; 27] = {
    use ChangeMoment::{AfterProbes, BeforeItems, BeforeProbes};
    use SettingsRequest::{CreateAgain, Replace};
    const fn of(
        slug: &'static str,
        words: &'static str,
        first: Option<i64>,
        changes: &'static [(ChangeMoment, SettingsRequest)],
    ) -> SettingsHistory {
        SettingsHistory {
            slug,
            words,
            first,
            changes,
            indexing: Indexing::Consistent,
            edition: Edition::Y2024,
        }
    }
    const fn lazy(history: SettingsHistory) -> SettingsHistory {
        SettingsHistory { indexing: Indexing::Lazy, ..history }
    }
    const fn y2020(history: SettingsHistory) -> SettingsHistory {
        SettingsHistory { edition: Edition::Y2020, ..history }
    }
    [
        of("no-default", "`defaultTtl` -1", Some(-1), &[]),
        of("default-3", "`defaultTtl` 3", Some(3), &[]),
        of("off", "no `defaultTtl`", None, &[]),
        of("switched-on", "`defaultTtl` 3 since before the items", None, &[(BeforeItems, Replace(Some(3)))]),
        of("lowered", "`defaultTtl` 9, and then 3", Some(9), &[(BeforeProbes, Replace(Some(3)))]),
        of("raised", "`defaultTtl` 3, and then 9", Some(3), &[(BeforeProbes, Replace(Some(9)))]),
        of(
            "left-without-default",
            "`defaultTtl` 3, and then -1",
            Some(3),
            &[(BeforeProbes, Replace(Some(-1)))],
        ),
        of("given-a-default", "`defaultTtl` -1, and then 3", Some(-1), &[(BeforeProbes, Replace(Some(3)))]),
        of("woken", "no `defaultTtl`, and then 3", None, &[(BeforeProbes, Replace(Some(3)))]),
        of(
            "off-and-on",
            "`defaultTtl` 3, none, and 3",
            Some(3),
            &[(BeforeProbes, Replace(None)), (BeforeProbes, Replace(Some(3)))],
        ),
        of("switched-off", "`defaultTtl` 3, and then none", Some(3), &[(BeforeProbes, Replace(None))]),
        of("lowered-later", "`defaultTtl` 9, and 2 after all", Some(9), &[(AfterProbes, Replace(Some(2)))]),
        of("raised-later", "`defaultTtl` 3, and 9 after all", Some(3), &[(AfterProbes, Replace(Some(9)))]),
        lazy(of("lazy", "`defaultTtl` 3 with a lazy index", Some(3), &[])),
        lazy(of(
            "lazy-lowered",
            "`defaultTtl` 9 and a lazy index, and then 3",
            Some(9),
            &[(BeforeProbes, Replace(Some(3)))],
        )),
        lazy(of(
            "lazy-switched-off",
            "`defaultTtl` 3 and a lazy index, and then none",
            Some(3),
            &[(BeforeProbes, Replace(None))],
        )),
        of(
            "refused-settings",
            "`defaultTtl` 3, and a refused 0",
            Some(3),
            &[(BeforeProbes, Replace(Some(0)))],
        ),
        of(
            "second-creation",
            "`defaultTtl` 3, and a second creation with 9",
            Some(3),
            &[(BeforeProbes, CreateAgain(Some(9)))],
        ),
        of(
            "second-creation-while-off",
            "no `defaultTtl`, and a second creation with 3",
            None,
            &[(BeforeProbes, CreateAgain(Some(3)))],
        ),
        of("same-again", "`defaultTtl` 3, and 3 again", Some(3), &[(BeforeProbes, Replace(Some(3)))]),
        of(
            "off-on-off",
            "`defaultTtl` 3, none, 9, and none",
            Some(3),
            &[(BeforeItems, Replace(None)), (BeforeItems, Replace(Some(9))), (BeforeProbes, Replace(None))],
        ),
        of(
            "off-and-on-again",
            "`defaultTtl` 9, none, 9, none, and 3",
            Some(9),
            &[
                (BeforeItems, Replace(None)),
                (BeforeItems, Replace(Some(9))),
                (BeforeProbes, Replace(None)),
                (BeforeProbes, Replace(Some(3))),
            ],
        ),
        of(
            "lowered-and-raised",
            "`defaultTtl` 9, 3, and 9 after all",
            Some(9),
            &[(BeforeProbes, Replace(Some(3))), (AfterProbes, Replace(Some(9)))],
        ),
        y2020(of("no-default-in-2020", "`defaultTtl` -1 in the edition of 2020", Some(-1), &[])),
        y2020(of("default-3-in-2020", "`defaultTtl` 3 in the edition of 2020", Some(3), &[])),
        y2020(of(
            "given-a-default-in-2020",
            "`defaultTtl` -1, and then 3, in the edition of 2020",
            Some(-1),
            &[(BeforeProbes, Replace(Some(3)))],
        )),
        y2020(of(
            "raised-in-2020",
            "`defaultTtl` 2, and then 9, in the edition of 2020",
            Some(2),
            &[(BeforeItems, Replace(Some(9))), (AfterProbes, Replace(Some(3)))],
        )),
    ]
};
