//! Values and properties by every write, alone and in a batch: what is refused leaves everything as it was, what is
//! allowed counts, and what has another name does not. And the ends of the range of settings: the second before a deadline and
//! the deadline itself.

use std::collections::BTreeSet;

use super::VectorDraft;
use super::script_builder::{ScriptBuilder, lines};
use cosmos_ttl_explore::write::{Focus, WITNESS};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Edition, Operation, Patch, Properties, Request};
use cosmos_ttl_harness::vector::DERIVED;

/// A value, and its word in a name.
type NamedValue = (&'static str, &'static str);

const REFUSED: [NamedValue; 28] = [
    ("0", "zero"),
    ("-0", "minus-zero"),
    ("0.0", "zero-as-a-fraction"),
    ("-2", "below-minus-one"),
    ("-2.0", "below-minus-one-as-a-fraction"),
    ("-2147483648", "the-lowest-of-32-bits"),
    ("2147483648", "above-maximum"),
    ("4294967295", "the-highest-of-32-bits"),
    ("4294967296", "above-32-bits"),
    ("4294967306", "ten-above-32-bits"),
    ("-4294967291", "five-modulo-32-bits"),
    ("9007199254740993", "above-the-digits-of-floats"),
    ("9223372036854775807", "the-highest-of-64-bits"),
    ("-9223372036854775808", "the-lowest-of-64-bits"),
    ("9223372036854775808", "above-64-bits"),
    ("18446744073709551615", "the-highest-without-a-sign"),
    ("18446744073709551616", "above-all-without-a-sign"),
    ("-18446744073709551611", "five-modulo-64-bits"),
    ("18446744073709551617", "one-above-64-bits"),
    ("1e400", "above-all-floats"),
    ("1.5", "fraction"),
    ("-0.5", "fraction-above-minus-one"),
    ("\"1\"", "string"),
    ("\"-1\"", "string-of-minus-one"),
    ("\"\"", "empty-string"),
    ("true", "boolean"),
    ("[1]", "array"),
    ("{\"a\": 1}", "object"),
];

/// Values of `ttl` that every write takes.
const TAKEN: [NamedValue; 5] = [
    ("-1", "minus-one"),
    ("1", "one"),
    ("3", "three"),
    ("16777217", "one-beyond-small-floats"),
    ("2147483647", "maximum"),
];

/// Whole numbers that are written with a fraction or an exponent: each counts or is refused.
const OPEN: [NamedValue; 3] =
    [("-1.0", "minus-one-in-disguise"), ("1e0", "one-in-disguise"), ("3.0", "three-in-disguise")];

/// Properties that do not count, whatever they are.
const OTHER_PROPERTIES: [(&str, &str, &str); 13] = [
    ("_ts", "1", "a-clients-ts"),
    ("_ttl", "1", "underscored-ttl"),
    ("TTL", "1", "upper-case-ttl"),
    ("TTL", "null", "upper-case-ttl-of-null"),
    ("Ttl", "1", "capital-ttl"),
    ("Ttl", "0", "capital-ttl-of-zero"),
    ("_ttl", "-2", "underscored-ttl-below-minus-one"),
    ("timeToLive", "1", "time-to-live"),
    ("timeToLive", "\"1\"", "time-to-live-as-a-string"),
    ("defaultTtl", "1", "default-ttl"),
    ("expires", "1", "expires"),
    ("part", "{\"ttl\":1}", "ttl-of-a-part"),
    ("parts", "[{\"ttl\":1}]", "ttl-of-parts"),
];

/// Returns the vectors of what is sent by every write, and of refused settings.
pub(super) fn sent_values() -> Vec<VectorDraft> {
    let ttl = |(text, word): NamedValue, verb, then| SentProperty {
        edition: Edition::default(),
        name: "ttl",
        text,
        id: format!("{verb}-{word}-by-every-write"),
        then,
        clause: None,
    };
    let other = |(name, text, word): (&'static str, &'static str, &'static str)| SentProperty {
        name,
        clause: Some(if name == "_ts" { "server-sets-ts" } else { "only-root-ttl-counts" }),
        ..ttl((text, word), "ignore", "does not count")
    };
    let refused = REFUSED.into_iter().map(|value| ttl(value, "refuse", "is refused"));
    let null_of_2020 = ttl(("null", "null-for-no-ttl"), "take", "is no `ttl`, before 2024");
    let null = [
        ttl(("null", "null"), "refuse", "is refused"),
        SentProperty { edition: Edition::Y2020, clause: Some("item-null-inherits"), ..null_of_2020 },
    ];
    let taken = TAKEN.into_iter().map(|value| ttl(value, "take", "counts"));
    let sent = refused.chain(null).chain(taken).chain(OTHER_PROPERTIES.into_iter().map(other));
    let settings = REFUSED.into_iter().flat_map(|value| [as_new_settings(value), as_first_settings(value)]);
    let taken_settings =
        BEFORE.into_iter().flat_map(|before| TAKEN.map(|value| as_next_settings(before, value)));
    let open = OPEN.into_iter().flat_map(|value| WRITES.map(|write| taken_or_refused(write, value)));
    sent.map(|sent| sent.draft()).chain(settings).chain(taken_settings).chain(open).flatten().collect()
}

/// The lifetime, in seconds, of items that are sent without one.
const DEFAULT_S: i64 = 2;

fn container(text: &str) -> Container {
    Container { default_ttl: Literal::parse(text).ok(), ..Container::default() }
}

/// A property that every write sends.
struct SentProperty {
    edition: Edition,
    name: &'static str,
    text: &'static str,
    id: String,
    /// The end of the title.
    then: &'static str,
    clause: Option<&'static str>,
}

/// A kind of write: its word, and whether it is sent over an item.
#[derive(Clone, Copy)]
struct WriteKind {
    word: &'static str,
    is_over: bool,
    operation: fn(Document) -> Operation,
}

const WRITES: [WriteKind; 5] = [
    WriteKind { word: "create", is_over: false, operation: Operation::Create },
    WriteKind { word: "insert", is_over: false, operation: Operation::Upsert },
    WriteKind { word: "upsert", is_over: true, operation: Operation::Upsert },
    WriteKind { word: "replace", is_over: true, operation: |document| Operation::Replace(document, None) },
    WriteKind { word: PATCH, is_over: true, operation: patch },
];

const PATCH: &str = "patch";

fn patch(Document { id, properties }: Document) -> Operation {
    Operation::Patch(Patch { id, set: properties, remove: Vec::new() }, None)
}

impl SentProperty {
    /// Sends it by every write, in the second after the items were written, and watches them to their end.
    fn draft(&self) -> Option<VectorDraft> {
        let value = Literal::parse(self.text).ok()?;
        let document =
            |id: String| Document { id, properties: [(self.name.to_owned(), value.clone())].into() };
        // A service may refuse a patch of `_ts` as well as ignore it.
        let is_sent = |write: &WriteKind| self.name != "_ts" || write.word != PATCH;
        let writes: Vec<WriteKind> = WRITES.into_iter().filter(is_sent).collect();
        let ids = |write: &WriteKind| [write.word.to_owned(), format!("batch-{}", write.word)];
        let mut builder = ScriptBuilder::in_edition(self.edition, container(&DEFAULT_S.to_string()));
        for id in writes.iter().filter(|write| write.is_over).flat_map(ids) {
            builder.ask(Focus::Way, create(&id), Vec::new());
        }
        builder.pass();
        for write in &writes {
            let [alone, batched] = ids(write).map(|id| (write.operation)(document(id)));
            builder.ask(Focus::Answer, Request::Item(alone), Vec::new());
            builder.ask(Focus::Answer, Request::Batch(vec![batched]), Vec::new());
        }
        for id in writes.iter().flat_map(ids) {
            builder.ask(Focus::Details, Request::Item(Operation::Read(id)), Vec::new());
        }
        builder.ask(Focus::Answer, Request::Query, Vec::new());
        for _ in 0..=DEFAULT_S {
            builder.pass();
            builder.ask(Focus::Answer, Request::Query, Vec::new());
        }
        let title =
            format!("By every write, alone and in a batch, `{}` {} {}", self.name, self.text, self.then);
        draft(&builder, &self.id, title, self.clause)
    }
}

/// Sends a value that counts or is refused by one write, alone and in a batch. Each item has a choice of its own, so there
/// are reads only: a query would have an answer for each pair of choices.
fn taken_or_refused(write: WriteKind, (text, word): NamedValue) -> Option<VectorDraft> {
    let value = Literal::parse(text).ok()?;
    let ids = [write.word.to_owned(), format!("batch-{}", write.word)];
    let mut builder = ScriptBuilder::new(container(&DEFAULT_S.to_string()));
    for id in ids.iter().filter(|_| write.is_over) {
        builder.ask(Focus::Way, create(id), Vec::new());
    }
    let [alone, batched] = ids.clone().map(|id| {
        let properties = [("ttl".to_owned(), value.clone())].into();
        (write.operation)(Document { id, properties })
    });
    builder.ask(Focus::Answer, Request::Item(alone), Vec::new());
    builder.ask(Focus::Answer, Request::Batch(vec![batched]), Vec::new());
    for second in 0..=DEFAULT_S + 1 {
        if second > 0 {
            builder.pass();
        }
        for id in ids.iter().map(String::as_str).chain([WITNESS]) {
            builder.ask(Focus::Answer, Request::Item(Operation::Read(id.into())), Vec::new());
        }
    }
    let title = format!("By {}, alone and in a batch, `ttl` {text} counts or is refused", write.word);
    let id = format!("take-or-refuse-{word}-by-{}", write.word);
    let mut draft = draft(&builder, &id, title, None)?;
    // It is of level should, and about other values.
    draft.clauses.remove("item-not-an-integer-rejected");
    Some(draft)
}

/// Sends refused settings to a container with an item that lives by the settings before.
fn as_new_settings((text, word): NamedValue) -> Option<VectorDraft> {
    let mut builder = ScriptBuilder::new(container(&DEFAULT_S.to_string()));
    builder.ask(Focus::Way, create("a"), Vec::new());
    builder.pass();
    builder.ask(Focus::Answer, Request::ReplaceContainer(container(text)), Vec::new());
    builder.ask(Focus::Answer, Request::Query, Vec::new());
    builder.pass();
    builder.ask(Focus::Answer, Request::Query, Vec::new());
    let title = format!("As new settings `{text}` is refused, and everything stays as it was");
    let id = format!("refuse-{word}-as-new-settings");
    draft(&builder, &id, title, Some("container-rejected-leaves-container"))
}

/// The settings before others, or none.
const BEFORE: [(Option<NamedValue>, &str); 3] =
    [(None, "none"), (Some(("-1", "minus-one")), "`-1`"), (Some(("2", "two")), "`2`")];

/// Changes the settings, with an item that lives by those before.
fn as_next_settings(
    (before, words): (Option<NamedValue>, &str),
    (text, word): NamedValue,
) -> Option<VectorDraft> {
    let first = before.map_or_else(Container::default, |(before, _)| container(before));
    let mut builder = ScriptBuilder::new(first);
    builder.ask(Focus::Way, create("a"), Vec::new());
    builder.pass();
    builder.ask(Focus::Answer, Request::ReplaceContainer(container(text)), Vec::new());
    builder.ask(Focus::Way, create("b"), Vec::new());
    builder.ask(Focus::Answer, Request::Query, Vec::new());
    for _ in 0..3 {
        builder.pass();
        builder.ask(Focus::Answer, Request::Query, Vec::new());
    }
    let title = format!("As new settings after {words}, `{text}` counts for items old and new");
    let before = before.map_or("none", |(_, before)| before);
    draft(
        &builder,
        &format!("take-{word}-as-new-settings-after-{before}"),
        title,
        Some("current-settings-decide"),
    )
}

/// Sends refused settings for a new container, and then others.
fn as_first_settings((text, word): NamedValue) -> Option<VectorDraft> {
    let mut builder = ScriptBuilder::of_creation(container(text));
    builder.ask(Focus::Way, Request::CreateContainer(container("1")), Vec::new());
    builder.create_witness();
    builder.ask(Focus::Way, create("a"), Vec::new());
    builder.ask(Focus::Answer, Request::Query, Vec::new());
    builder.pass();
    builder.ask(Focus::Answer, Request::Query, Vec::new());
    let title = format!("As first settings `{text}` is refused, and others are not");
    draft(&builder, &format!("refuse-{word}-as-first-settings"), title, None)
}

fn create(id: &str) -> Request {
    Request::Item(Operation::Create(Document { id: id.into(), properties: Properties::default() }))
}

/// Returns the vector of this script, of level must; `None` if no vector can say it.
fn draft(
    builder: &ScriptBuilder,
    id: &str,
    title: String,
    clause: Option<&'static str>,
) -> Option<VectorDraft> {
    let (musts, _) = builder.clone().musts().ok()?;
    let edition = builder.edition(&musts.steps);
    let steps = lines(&musts).ok()?;
    let clauses = musts.clauses.into_iter().chain(clause).collect();
    let id = format!("{DERIVED}{id}");
    Some(VectorDraft { section: "domain", id, title, clauses, edition, steps })
}

/// The greatest number of seconds that is a setting.
const GREATEST_S: u64 = 2_147_483_647;

pub(super) fn boundary_values() -> Vec<VectorDraft> {
    let lifetimes = [(1, "least"), (GREATEST_S - 1, "next-to-greatest"), (GREATEST_S, "greatest")];
    lifetimes.into_iter().flat_map(of_lifetime).flatten().collect()
}

/// Returns the vectors of an item with this lifetime: its own, that of the container, and its own once more after a second
/// write in the last second.
fn of_lifetime((life_s, word): (u64, &str)) -> [Option<VectorDraft>; 3] {
    let draft = |id, title: String, shown: [&'static str; 2], default_ttl: &str, own: bool, again: bool| {
        let ttl = own.then(|| Some(("ttl".to_owned(), Literal::parse(&life_s.to_string()).ok()?))).flatten();
        let document = Document { id: "a".into(), properties: ttl.into_iter().collect() };
        let mut builder = ScriptBuilder::new(container(default_ttl));
        builder.ask(Focus::Answer, Request::Item(Operation::Create(document.clone())), Vec::new());
        if again {
            wait(&mut builder, life_s - 1);
            builder.ask(Focus::Answer, Request::Item(Operation::Upsert(document)), Vec::new());
        }
        // Now, in the last second, and at the deadline.
        for seconds in [0, life_s - 1, 1] {
            wait(&mut builder, seconds);
            builder.ask(Focus::Answer, Request::Query, Vec::new());
        }
        builder.ask(Focus::Answer, Request::Item(Operation::Read("a".into())), Vec::new());
        let script = builder.annotated().ok()?;
        let mut clauses: BTreeSet<&str> = script.clauses.clone();
        clauses.extend(["gone-at-deadline", "visible-before-deadline"]);
        clauses.extend(shown);
        clauses.extend((life_s == GREATEST_S).then_some("deadline-does-not-overflow"));
        let id = format!("{DERIVED}{word}-{id}");
        Some(VectorDraft { section: "clock", id, title, clauses, edition: None, steps: lines(&script).ok()? })
    };
    let lives = "is there in its last second and gone in the next";
    let item = format!("An item with `ttl` {life_s} {lives}");
    let inherited = format!("An item that inherits `defaultTtl` {life_s} {lives}");
    let again =
        format!("An item with `ttl` {life_s} that is upserted in its last second lives as long again");
    let of_item = ["item-seconds-range", "item-seconds-override"];
    let of_default = ["container-seconds-range", "item-inherits-seconds"];
    let of_write = ["write-restarts-count", "counted-from-last-write"];
    [
        draft("ttl", item, of_item, "-1", true, false),
        draft("default", inherited, of_default, &life_s.to_string(), false, false),
        draft("ttl-written-again-in-its-last-second", again, of_write, "-1", true, true),
    ]
}

fn wait(builder: &mut ScriptBuilder, seconds: u64) {
    if seconds > 0 {
        builder.pass_s(seconds);
    }
}
