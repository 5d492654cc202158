//! A set of properties: what must hold of every step, and what must be seen on some.

use cosmos_ttl_model::container::Rules;

/// How a property is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyKind {
    /// Of every step that can be reached.
    Always,
    /// Of some step that can be reached: shows that the interesting case occurs.
    Sometimes,
}

/// A sentence about a step, and the same as code.
type Predicate<S> = (&'static str, fn(&S) -> bool);

/// What some clauses say of every step, and a step that must be reachable, so that it does not hold for want of occasion.
#[derive(Debug)]
pub(super) struct Statement<S> {
    clauses: &'static [&'static str],
    when: fn(&Rules) -> bool,
    always: Option<Predicate<S>>,
    sometimes: Option<Predicate<S>>,
}

impl<S> Statement<S> {
    pub(super) const fn of(clauses: &'static [&'static str]) -> Self {
        Self { clauses, when: |_| true, always: None, sometimes: None }
    }

    /// It is made only under these rules.
    pub(super) const fn when(self, when: fn(&Rules) -> bool) -> Self {
        Self { when, ..self }
    }

    pub(super) const fn always(self, sentence: &'static str, holds: fn(&S) -> bool) -> Self {
        Self { always: Some((sentence, holds)), ..self }
    }

    pub(super) const fn sometimes(self, sentence: &'static str, is_seen: fn(&S) -> bool) -> Self {
        Self { sometimes: Some((sentence, is_seen)), ..self }
    }
}

/// A table of statements about a step: for each its clauses, the rules under which it is made (if not under all), what holds of
/// every step, and what of some.
macro_rules! statements {
    ($step:ident: $type:ty; $(
        [$($clause:literal),+ $(,)?]
            $(when $when:expr;)?
            $(always $always:expr => $holds:expr;)?
            $(sometimes $sometimes:expr => $is_seen:expr;)?
    )+) => {
        &[$(
            $crate::property_set::Statement::<$type>::of(&[$($clause),+])
                $(.when($when))?
                $(.always($always, |$step| $holds))?
                $(.sometimes($sometimes, |$step| $is_seen))?
        ),+]
    };
}
pub(super) use statements;

/// Half of a statement, in its section of `vectors/clauses.yaml`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepProperty<S> {
    pub(super) kind: PropertyKind,
    pub(super) section: &'static str,
    pub(super) clauses: &'static [&'static str],
    pub(super) sentence: &'static str,
    pub(super) holds: fn(&S) -> bool,
    pub(super) mark: Marks,
}

/// A subset of the properties of one set, which can hold 128.
pub(super) type Marks = u128;

/// Whether a property can be of interest on a step. On every other, an *always* holds and a *sometimes* is not seen.
type Occasion<S> = fn(&S) -> bool;

/// Statements with their section and their occasion in common.
pub(super) type StatementSection<S> = (&'static str, Occasion<S>, &'static [Statement<S>]);

/// The properties of one transition system, in the order in which people read them.
#[derive(Clone, Debug)]
pub(super) struct PropertySet<S> {
    properties: Vec<StepProperty<S>>,
    /// Properties that follow one another and have their occasion in common, and how many they are.
    runs: Vec<(Occasion<S>, usize)>,
}

impl<S> PropertySet<S> {
    /// Takes what is stated under these rules.
    ///
    /// A section's occasion alone decides on every other step. It saves asking each of its properties. The walk asks each
    /// of them, and is compared with stateright.
    pub(super) fn new(rules: Rules, sections: &[StatementSection<S>]) -> Self {
        let mut set = Self { properties: Vec::new(), runs: Vec::new() };
        for (section, occasion, statements) in sections {
            let before = set.properties.len();
            for statement in statements.iter().filter(|statement| (statement.when)(&rules)) {
                set.add(section, statement.clauses, PropertyKind::Always, statement.always);
                set.add(section, statement.clauses, PropertyKind::Sometimes, statement.sometimes);
            }
            set.runs.push((*occasion, set.properties.len() - before));
        }
        set
    }

    /// Takes statements that have an occasion on every step, each list with its section.
    pub(super) fn of(sections: &[(&'static str, &'static [Statement<S>])]) -> Self {
        let always: Occasion<S> = |_| true;
        let sections: Vec<StatementSection<S>> =
            sections.iter().map(|(section, statements)| (*section, always, *statements)).collect();
        Self::new(Rules::default(), &sections)
    }

    /// Returns the properties that a step breaks (*always*), and those that it shows (*sometimes*).
    pub(super) fn judge(&self, step: &S) -> (Marks, Marks) {
        let (mut broken, mut seen) = (0, 0);
        let mut properties = self.properties.as_slice();
        for (occasion, count) in &self.runs {
            let (run, others) = properties.split_at_checked(*count).unwrap_or((properties, &[]));
            properties = others;
            if !occasion(step) {
                continue;
            }
            for property in run {
                match (property.kind, (property.holds)(step)) {
                    (PropertyKind::Always, true) | (PropertyKind::Sometimes, false) => {}
                    (PropertyKind::Always, false) => broken |= property.mark,
                    (PropertyKind::Sometimes, true) => seen |= property.mark,
                }
            }
        }
        (broken, seen)
    }

    pub(super) fn properties(&self) -> &[StepProperty<S>] {
        &self.properties
    }

    fn add(
        &mut self,
        section: &'static str,
        clauses: &'static [&'static str],
        kind: PropertyKind,
        predicate: Option<Predicate<S>>,
    ) {
        let Some((sentence, holds)) = predicate else { return };
        // One beyond the last has no mark, and so makes the two searches disagree.
        let index = u32::try_from(self.properties.len()).unwrap_or(u32::MAX);
        let mark = Marks::checked_shl(1, index).unwrap_or(0);
        self.properties.push(StepProperty { kind, section, clauses, sentence, holds, mark });
    }
}
