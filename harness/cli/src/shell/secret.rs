//! Words of the command line that may hold a secret: no message repeats it.

/// A run of at least this many Base64 characters, in both cases and with a digit, may be a key.
const KEY_CHARS: usize = 32;

/// The names of secrets; a secret ends at the next semicolon, ampersand or blank.
const NAMES: [&str; 3] = ["accountkey=", "sig=", "key="];

/// Returns a text without what a name in it calls a key or a signature, and without the credentials of its URLs.
pub fn without_keys(text: &str) -> String {
    let word = &without_credentials(text);
    let lower = word.to_ascii_lowercase();
    let mut shown = String::new();
    let mut from = 0;
    while let Some(start) =
        NAMES.iter().filter_map(|name| Some(lower.get(from..)?.find(name)? + name.len())).min()
    {
        let start = from + start;
        let ends = |c: char| matches!(c, ';' | '&' | '\u{1b}') || c.is_whitespace();
        let end = lower.get(start..).and_then(|rest| rest.find(ends)).map_or(word.len(), |end| start + end);
        shown.push_str(word.get(from..start).unwrap_or(""));
        shown.push('…');
        from = end;
    }
    shown + word.get(from..).unwrap_or("")
}

/// Returns a text without the user and the password of each URL in it.
fn without_credentials(text: &str) -> String {
    let mut urls = text.split("://");
    let before = urls.next().unwrap_or("").to_owned();
    urls.fold(before, |shown, url| {
        let authority =
            url.find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace()).unwrap_or(url.len());
        match url.get(..authority).and_then(|authority| authority.rfind('@')) {
            Some(end) => shown + "://…" + url.get(end..).unwrap_or(""),
            None => shown + "://" + url,
        }
    })
}

/// Returns a word for a message: bounded, without keys and without anything that looks like one.
pub fn shown(word: &str) -> String {
    let word = without_keys(word);
    let looks_like_key = |text: &str| {
        text.len() >= KEY_CHARS
            && text.contains(|c: char| c.is_ascii_uppercase())
            && text.contains(|c: char| c.is_ascii_lowercase())
            && text.contains(|c: char| c.is_ascii_digit())
    };
    let of_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let mut kept = String::new();
    for part in word.split_inclusive(|c: char| !of_base64(c)) {
        let text = part.trim_end_matches(|c: char| !of_base64(c));
        let hidden = looks_like_key(text);
        kept.push_str(if hidden { "…" } else { text });
        kept.push_str(part.get(text.len()..).unwrap_or(""));
    }
    cosmos_ttl_harness::plain::cut(&kept, 200)
}
