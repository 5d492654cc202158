//! An entry of a list: one vector and how it fails, or a wildcard and how many.

use wildmatch::{WildMatch, WildMatchPattern};

use super::{Kind, Listed};

/// `*` stands for any characters; nothing else is special in a signature.
type Pattern = WildMatchPattern<'*', '\0'>;

/// What is known of one vector, or of many.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) reason: String,
    pub(super) link: Option<String>,
    /// The line on which it starts.
    pub(super) line: usize,
    pub(super) of: Of,
}

#[derive(Clone, Debug)]
pub(super) enum Of {
    /// This vector fails, and so.
    One { name: [String; 1], signature: String },
    /// Of these vectors, at most so many fail.
    Many { pattern: String, names: Vec<String>, max: usize, signature: Option<String> },
}

impl Entry {
    /// The vectors that it names, or matches.
    pub(super) fn names(&self) -> &[String] {
        match &self.of {
            Of::One { name, .. } => name,
            Of::Many { names, .. } => names,
        }
    }

    /// Whether it names this vector itself.
    pub(super) fn is_of(&self, vector: &str) -> bool {
        matches!(&self.of, Of::One { name: [name], .. } if name == vector)
    }

    /// Whether a failure with this signature is what it lists.
    pub(super) fn fits(&self, failure: &str) -> bool {
        match &self.of {
            Of::One { signature, .. } => signature == failure,
            Of::Many { signature: Some(signature), .. } => Pattern::new(signature).matches(failure),
            Of::Many { signature: None, .. } => true,
        }
    }

    /// What it says of a vector.
    pub(super) fn listed(&self, holds: bool) -> Listed {
        let signature = match &self.of {
            Of::One { signature, .. } => Some(signature.clone()),
            Of::Many { signature, .. } => signature.clone(),
        };
        Listed { kind: self.kind, reason: self.reason.clone(), link: self.link.clone(), signature, holds }
    }
}

/// Whether a pattern takes a vector; `*` stands for any characters on its side of the slash.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.split_once('/'), name.split_once('/')) {
        (Some((section, id)), Some((its_section, its_id))) => {
            WildMatch::new(section).matches(its_section) && WildMatch::new(id).matches(its_id)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_on_its_side_of_the_slash() {
        for (pattern, name, taken) in [
            ("domain/*", "domain/zero", true),
            ("domain/*", "domains/zero", false),
            ("*/zero", "domain/zero", true),
            ("dom*/z*o", "domain/zero", true),
            ("*", "domain/zero", false),
            ("domain", "domain/zero", false),
        ] {
            assert_eq!(matches(pattern, name), taken, "{pattern} {name}");
        }
    }

    #[test]
    fn in_a_signature_nothing_but_a_star_is_special() {
        let of = |signature: &str| Of::Many {
            pattern: "a/*".into(),
            names: Vec::new(),
            max: 1,
            signature: Some(signature.into()),
        };
        let fits = |signature: &str, failure: &str| {
            let entry = Entry { kind: Kind::Bug, reason: "r".into(), link: None, line: 1, of: of(signature) };
            entry.fits(failure)
        };
        assert!(fits("at second *: expected [a], got *", "at second 12: expected [a], got []"));
        assert!(!fits("at second ?: expected a", "at second 1: expected a"));
        assert!(fits("expected a?", "expected a?"));
        assert!(!fits("expected a", "expected a, got b"));
    }
}
