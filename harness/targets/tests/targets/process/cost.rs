//! The cost of a request in a large container. Bytes are counted, and no time is measured.

use allocation_counter::measure;
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_targets::process::serve::Server;
use libtest_mimic::Trial;

use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("a_request_allocates_no_more_in_a_container_of_ten_times_the_items", requests)]
}

/// The bytes that these messages allocate in a container of this many items, ten times over.
fn allocated(items: u64, messages: &[&str]) -> u64 {
    let reference = Reference::default();
    let mut server = Server::new(&reference);
    let mut say = |content: &str| server.reply(&format!(r#"{{"q":1,{content}}}"#));
    say(r#""open":{"session":"s"}"#);
    say(r#""send":{"session":"s","request":{"create-container":{"defaultTtl":-1}}}"#);
    for item in 0..items {
        let write = format!(r#"{{"create":{{"item":{{"id":"i{item}","value":{item}}}}}}}"#);
        say(&format!(r#""send":{{"session":"s","request":{write}}}"#));
    }
    let asked = || (0..10).for_each(|_| messages.iter().for_each(|message| drop(say(message))));
    measure(asked).bytes_total
}

fn requests() {
    let write = r#""send":{"session":"s","request":{"upsert":{"item":{"id":"i7","value":-1}}}}"#;
    let messages = [
        ("a write", write),
        ("a read", r#""send":{"session":"s","request":{"read":{"id":"i7"}}}"#),
        ("a refusal", r#""send":{"session":"s","request":{"create":{"item":{"id":"i7"}}}}"#),
        ("settings", r#""send":{"session":"s","request":{"replace-container":{"defaultTtl":-1}}}"#),
        (
            "a batch that is undone",
            r#""send":{"session":"s","request":{"batch":{"operations":[{"delete":{"id":"i7"}},{"read":{"id":"i7"}}]}}}"#,
        ),
        ("a second", r#""pass":{"session":"s","seconds":1}"#),
    ];
    for (what, message) in messages {
        // The first write makes its content known.
        let [few, many] = [100, 1000].map(|items| allocated(items, &[write, message]));
        assert!(
            many.saturating_mul(2) < few.saturating_mul(3),
            "{what}: {few} bytes with 100 items, {many} with 1,000"
        );
    }
}
