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
    /// Properties that follow one another and have their occasion in common, and how many they are.
    runs: Vec<(Occasion<S>, usize)>,
}

/// Whether a property can be of interest on a step. On every other, a law holds and a sight is not seen.
type Occasion<S> = fn(&S) -> bool;

impl<S> Book<S> {
    pub(super) fn new() -> Self {
        Self { section: "", properties: Vec::new(), runs: vec![(|_| true, 0)] }
    }

    /// The clauses that follow stand in this section.
    pub(super) fn section(&mut self, section: &'static str) {
        self.section = section;
    }

    /// Adds properties of which the occasion alone decides on every other step. It saves asking each of them.
    ///
    /// The walk asks each of them all the same, and is compared with stateright.
    pub(super) fn only(&mut self, occasion: Occasion<S>, add: impl FnOnce(&mut Self)) {
        self.runs.push((occasion, 0));
        add(self);
        self.runs.push((|_| true, 0));
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
        let mut properties = self.properties.as_slice();
        for (occasion, count) in &self.runs {
            let (run, others) = properties.split_at_checked(*count).unwrap_or((properties, &[]));
            properties = others;
            if !occasion(step) {
                continue;
            }
            for property in run {
                match (property.kind, (property.holds)(step)) {
                    (Kind::Always, true) | (Kind::Sometimes, false) => {}
                    (Kind::Always, false) => broken |= property.mark,
                    (Kind::Sometimes, true) => seen |= property.mark,
                }
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
        if let Some((_, count)) = self.runs.last_mut() {
            *count = count.saturating_add(1);
        }
        self.properties.push(Property { kind, section, clauses, sentence, holds, mark });
    }
}
