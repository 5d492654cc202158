//! The findings of a check, as plain data; the caller decides how to show them.

/// How a property is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyKind {
    /// Of every step that can be reached.
    Always,
    /// Of some step that can be reached: shows that the interesting case occurs.
    Sometimes,
}

/// Everything that one check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// In the order in which they were checked.
    pub models: Vec<CheckedModel>,
}

impl CheckReport {
    /// Returns whether every property is as it must be.
    pub fn holds(&self) -> bool {
        self.failures().next().is_none()
    }

    /// Returns every property that is not as it must be, with the model in which it is not.
    pub fn failures(&self) -> impl Iterator<Item = (&CheckedModel, &CheckedProperty)> {
        let all = self.models.iter().flat_map(|model| model.properties.iter().map(move |one| (model, one)));
        all.filter(|(_, property)| !property.result.is_good())
    }

    /// Returns the shortest story that shows this *sometimes*, in the first model that has one.
    pub fn story(&self, sentence: &str) -> Option<&Trace> {
        let all = self.models.iter().flat_map(|model| &model.properties);
        all.filter(|property| property.sentence == sentence).find_map(|property| match &property.result {
            PropertyResult::Found(trace) => Some(trace),
            _ => None,
        })
    }
}

/// One bounded model, walked through to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct CheckedModel {
    pub name: &'static str,
    pub about: &'static str,
    /// How many different worlds can be reached.
    pub unique_states: usize,
    /// How many steps lead from one to another or to itself, one for each way of choosing what is open.
    pub steps: usize,
    /// The greatest distance of a world from the nearest start.
    pub depth: usize,
    pub properties: Vec<CheckedProperty>,
}

/// One property of one model, and how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct CheckedProperty {
    pub kind: PropertyKind,
    /// The section of `vectors/clauses.yaml` that has its first clause.
    pub section: &'static str,
    pub clauses: &'static [&'static str],
    pub sentence: &'static str,
    pub result: PropertyResult,
}

/// How the check of a property went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyResult {
    /// Always: every step that can be reached keeps it.
    Held,
    /// Sometimes: a shortest path to a step that shows it.
    Found(Trace),
    /// Always, and yet: a shortest path to a step that breaks it.
    Violated(Trace),
    /// Sometimes, and yet no step that can be reached shows it.
    NotFound,
}

impl PropertyResult {
    /// Returns whether it is as it must be.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Held | Self::Found(_))
    }
}

/// A path from a new container to a step that breaks, or shows, a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// How many steps it has. A step may take several lines.
    pub steps: usize,
    /// Its storyboard: the container, and then who does what, and what comes of it.
    pub lines: Vec<String>,
}
