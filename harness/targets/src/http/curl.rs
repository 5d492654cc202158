//! A request as people read it, and as a command line that repeats it. Neither has the key or a signature in it.

use super::wire::HttpRequest;

/// The version of the REST protocol that is spoken.
pub(super) const API_VERSION: &str = "2020-07-15";

/// Returns the verb, the place and the body.
pub(super) fn sent(call: &HttpRequest, host: &str) -> String {
    format!("{} {host}{} {}", call.verb, call.path, body(call))
}

/// Returns the command line; its reader sets `AUTHORIZATION` and `DATE`.
pub(super) fn command(call: &HttpRequest, base: &str) -> String {
    let start = format!(
        "curl -i -X {} {} -H \"authorization: $AUTHORIZATION\" -H \"x-ms-date: $DATE\" -H 'x-ms-version: {API_VERSION}'",
        call.verb,
        quoted(&format!("{base}{}", call.path)),
    );
    let headers = call.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        format!("-H {}", quoted(&format!("{name}: {value}")))
    });
    let body = call.body.iter().map(|body| format!("--data-raw {}", quoted(body.get())));
    [start].into_iter().chain(headers).chain(body).collect::<Vec<_>>().join(" ")
}

fn body(call: &HttpRequest) -> &str {
    call.body.as_ref().map_or("", |body| body.get())
}

/// Returns one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
