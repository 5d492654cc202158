//! Suggestions for misspelled words.

/// At most this many guesses.
const MOST: usize = 3;

/// A longer word is no slip, and would take long to compare.
const LONGEST: usize = 200;

/// Below this, two words have little in common.
const ALIKE: f64 = 0.8;

/// A guess that is worse than the best by more than this is none.
const LEEWAY: f64 = 0.1;

/// The names that are most like a word, or have it in them; best first.
pub fn suggest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if word.len() > LONGEST {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &str)> =
        names.into_iter().map(|name| (score(word, name), name)).filter(|(score, _)| ALIKE < *score).collect();
    scored.sort_by(|(a, a_name), (b, b_name)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
    scored.dedup();
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let guesses = scored.into_iter().take_while(|(score, _)| best - score <= LEEWAY);
    guesses.map(|(_, name)| name).take(MOST).collect()
}

fn score(word: &str, name: &str) -> f64 {
    // Of `section/id`, somebody may have said the id alone.
    let id = name.split_once('/').map_or(name, |(_, id)| id);
    if id == word {
        return 2.0;
    }
    // Whole names would all be alike for the section that they share.
    let part = if word.contains('/') { name } else { id };
    let has_it = if word.len() > 3 && part.contains(word) { 0.95 } else { 0.0 };
    strsim::jaro_winkler(word, part).max(has_it)
}

/// `did you mean a or b?`, or nothing.
pub fn question(guesses: &[&str]) -> String {
    if guesses.is_empty() { String::new() } else { format!("did you mean {}?", guesses.join(" or ")) }
}
