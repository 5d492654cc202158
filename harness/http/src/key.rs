//! The account key, and what a request is signed with.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use cosmos_ttl_harness::target::Fault;

/// The key of every emulator; Microsoft publishes it, so it opens nothing that is worth anything.
const EMULATOR: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// An account's key. It is never sent, and it shows itself nowhere: not in `Debug`, not in an error.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// Takes a key as the portal shows it, spaces around it aside.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] where it is no base64 text; the text is not repeated.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let refused = |why| {
            Fault::Misuse(format!(
                "the key {why}; it must be base64 text, as the account or the emulator shows it"
            ))
        };
        let bytes = STANDARD.decode(text.trim()).map_err(|_| refused("is not base64"))?;
        if bytes.is_empty() {
            return Err(refused("is empty"));
        }
        Hmac::new_from_slice(&bytes).map(Self).map_err(|_| refused("has a length that cannot be used"))
    }

    /// The key that every emulator has.
    ///
    /// # Errors
    ///
    /// None in practice; the type is that of [`Key::parse`].
    pub fn emulator() -> Result<Self, Fault> {
        Self::parse(EMULATOR)
    }

    /// The `authorization` header of a request: which verb, on which type of resource, below which link, and when.
    pub(super) fn authorization(&self, verb: &str, kind: &str, link: &str, date: &str) -> String {
        let text =
            format!("{}\n{}\n{link}\n{}\n\n", verb.to_lowercase(), kind.to_lowercase(), date.to_lowercase());
        let signature = self.0.clone().chain_update(text).finalize().into_bytes();
        percent_encode(&format!("type=master&ver=1.0&sig={}", STANDARD.encode(signature)))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(not shown)")
    }
}

/// Writes everything but letters, digits and `-._~` as `%XX`: safe in a header and as one segment of a path.
pub(super) fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            _ => out.extend(['%', digit(byte >> 4), digit(byte & 15)]),
        }
    }
    out
}

fn digit(half: u8) -> char {
    char::from_digit(half.into(), 16).map_or('0', |digit| digit.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_example_is_signed_as_documented() {
        let documented =
            "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";
        assert_eq!(
            Key::parse(documented).unwrap().authorization(
                "GET",
                "dbs",
                "dbs/ToDoList",
                "Thu, 27 Apr 2017 00:51:12 GMT"
            ),
            "type%3Dmaster%26ver%3D1.0%26sig%3Dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2Bc%2Bc%3D"
        );
    }

    #[test]
    fn the_emulators_key_signs_as_other_clients_do() {
        let signed =
            Key::emulator().unwrap().authorization("POST", "dbs", "", "Thu, 01 Jan 2026 00:00:00 GMT");
        assert_eq!(
            signed,
            format!(
                "type%3Dmaster%26ver%3D1.0%26sig%3D{}",
                percent_encode("D4r5VwiEkkgEbhXvYlCJwnSVvx4fXhQcnEHFOLTo6Es=")
            )
        );
    }

    #[test]
    fn a_key_is_never_shown() {
        assert_eq!(format!("{:?}", Key::emulator().unwrap()), "Key(not shown)");
        for wrong in ["s3cret!", "", "  ", "czNjcmV0"] {
            if let Err(fault) = Key::parse(wrong) {
                let said = fault.to_string();
                assert!(!said.contains("s3cret") && said.contains("must be base64"), "{said}");
            }
        }
    }

    #[test]
    fn a_key_may_have_space_around_it() {
        assert!(Key::parse(&format!(" {EMULATOR}\n")).is_ok());
    }
}
