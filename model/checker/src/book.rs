//! A book of properties: what must hold of every step, and what must be seen on some.

/// How a property is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Of every step that can be reached.
    Always,
    /// Of some step that can be reached: shows that the interesting case occurs.
    Sometimes,
}

/// One sentence about a step, and the same as code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property<S> {
    pub(super) kind: Kind,
    pub(super) section: &'static str,
    pub(super) clauses: &'static [&'static str],
    pub(super) sentence: &'static str,
    pub(super) holds: fn(&S) -> bool,
    pub(super) mark: Marks,
}

/// A set of properties of one book, which can hold 128.
pub(super) type Marks = u128;

/// The properties of one machine, in the order in which people read them.
#[derive(Clone, Debug)]
pub(super) struct Book<S> {
    section: &'static str,
    properties: Vec<Property<S>>,
}

impl<S> Book<S> {
    pub(super) fn new() -> Self {
        Self { section: "", properties: Vec::new() }
    }

    /// The clauses that follow stand in this section.
    pub(super) fn section(&mut self, section: &'static str) {
        self.section = section;
    }

    /// What must hold of every step, and what shows that it does not hold for want of occasion.
    pub(super) fn law(
        &mut self,
        clauses: &'static [&'static str],
        (always, holds): (&'static str, fn(&S) -> bool),
        (sometimes, seen): (&'static str, fn(&S) -> bool),
    ) {
        self.add(Kind::Always, clauses, always, holds);
        self.add(Kind::Sometimes, clauses, sometimes, seen);
    }

    /// What must be seen on some step.
    pub(super) fn sight(
        &mut self,
        clauses: &'static [&'static str],
        (sentence, seen): (&'static str, fn(&S) -> bool),
    ) {
        self.add(Kind::Sometimes, clauses, sentence, seen);
    }

    /// Judges a step by every property: the laws that it breaks, and the sights that it shows.
    pub(super) fn judge(&self, step: &S) -> (Marks, Marks) {
        let (mut broken, mut seen) = (0, 0);
        for property in &self.properties {
            match (property.kind, (property.holds)(step)) {
                (Kind::Always, true) | (Kind::Sometimes, false) => {}
                (Kind::Always, false) => broken |= property.mark,
                (Kind::Sometimes, true) => seen |= property.mark,
            }
        }
        (broken, seen)
    }

    pub(super) fn properties(&self) -> &[Property<S>] {
        &self.properties
    }

    fn add(
        &mut self,
        kind: Kind,
        clauses: &'static [&'static str],
        sentence: &'static str,
        holds: fn(&S) -> bool,
    ) {
        let section = self.section;
        // One beyond the last has no mark, and so makes the two searches disagree.
        let index = u32::try_from(self.properties.len()).unwrap_or(u32::MAX);
        let mark = Marks::checked_shl(1, index).unwrap_or(0);
        self.properties.push(Property { kind, section, clauses, sentence, holds, mark });
    }
}
