//! A reader of the pages, stricter than any browser: what is not closed, quoted or known is refused.

use std::collections::BTreeMap;

/// An element as it begins.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
}

impl Tag {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}

/// A page, taken apart.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) tags: Vec<Tag>,
    /// The texts between tags, as they stand there, styles aside.
    pub(crate) texts: Vec<String>,
    pub(crate) style: String,
}

/// Elements that have no end.
const VOID: [&str; 2] = ["meta", "br"];

#[track_caller]
pub(crate) fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut open: Vec<String> = Vec::new();
    let mut rest = text.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    while let Some((before, after)) = rest.split_once('<') {
        match open.last().map(String::as_str) {
            Some("style") => page.style.push_str(before),
            _ if !before.trim().is_empty() => page.texts.push(plain_text(before)),
            _ => {}
        }
        let (tag, next) = after.split_once('>').unwrap_or_else(|| panic!("`<` without `>`: {after:.80}"));
        rest = next;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "near {after:.80}");
            continue;
        }
        let tag = self::tag(tag);
        if !VOID.contains(&tag.name.as_str()) {
            open.push(tag.name.clone());
        }
        page.tags.push(tag);
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "not closed: {open:?} {rest:.80}");
    page
}

fn tag(text: &str) -> Tag {
    let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()), "no tag: {text:.80}");
    let mut attributes = BTreeMap::new();
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').unwrap_or_else(|| panic!("not quoted: {text:.80}")),
            None => ("", after),
        };
        assert!(
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
            "{text:.80}"
        );
        assert!(attributes.insert(name.into(), plain_text(value)).is_none(), "twice: {text:.80}");
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    Tag { name: name.into(), attributes }
}

/// Returns a text with its escapes decoded; refuses a `&` that begins no escape.
fn plain_text(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or_else(|| panic!("a bare `&`: {part:.80}"));
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            _ => panic!("an unknown escape: {name:.80}"),
        });
        out.push_str(rest);
    }
    out
}

#[test]
fn the_reader_refuses_what_is_not_well_formed() {
    for text in [
        "<p>",
        "<p></b>",
        "</p>",
        "<p a=b></p>",
        "<p a=\"b></p>",
        "<p>&</p>",
        "<p>&x;</p>",
        "<p a a></p>",
        "<<p></p>",
    ] {
        let text = format!("<!DOCTYPE html>{text}");
        assert!(std::panic::catch_unwind(|| read(&text)).is_err(), "{text}");
    }
    let page = read("<!DOCTYPE html><p id=\"a\" open>x &lt;</p><meta a=\"&quot;\">");
    assert_eq!((page.tags.len(), page.texts.as_slice()), (2, &["x <".to_owned()][..]));
    assert_eq!(page.tags[1].get("a"), Some("\""));
}
