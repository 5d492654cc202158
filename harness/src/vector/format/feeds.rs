//! Requests for all items of a partition, at once or page by page.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::vector::Expect;
use crate::yaml::value::some_visible_text;

/// A query or a list.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct AskYaml {
    /// The partition key; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// Asks for the first page only: the greatest number of items on it.
    pub(crate) page_size: Option<NonZeroU32>,
    /// Asks for the pages that follow the first one.
    #[serde(rename = "continue")]
    pub(crate) continued: Option<ContinueYaml>,
    /// The items; of a first page, those that may be on it; of the rest, those on all pages together.
    pub(crate) expect: Expect<Vec<String>>,
}

/// How a query or a list goes on after its first page.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ContinueYaml {
    /// With all pages that follow.
    Rest,
}

/// A count.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountYaml {
    /// The partition key; absent for the default partition.
    #[serde(default, deserialize_with = "some_visible_text")]
    pub(crate) partition: Option<String>,
    /// The expected answer.
    pub(crate) expect: Expect<NumberYaml>,
}

/// A number of items.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number, or `{at-least: 1, at-most: 2}`")]
#[schemars(rename = "Number")]
pub(crate) enum NumberYaml {
    /// Exactly this number.
    Exactly(u64),
    /// Any number from one to another, both included.
    Within(WithinYaml),
}

/// The least and the greatest number.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WithinYaml {
    /// The least.
    pub(crate) at_least: u64,
    /// The greatest.
    pub(crate) at_most: u64,
}
