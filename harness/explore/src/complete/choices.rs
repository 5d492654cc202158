//! The choices of a target under open clauses, as far as the machine depends on them.

use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Fault, Opening, Operation, PurgedTarget, Removal, Request, Session, Status,
};
use cosmos_ttl_model::choices::{OpenChoice, Preferences};

/// The choices that bind an item or the target, those on which the machine depends.
pub const BINDING: [OpenChoice; 4] = [
    OpenChoice::ExpiredIsGone,
    OpenChoice::DefaultNullIsRefused,
    OpenChoice::FractionIsAccepted,
    OpenChoice::WrongTtlIsStored,
];

/// Observes the choices of a target that bind: one request for each, in sessions of their own.
///
/// An answer that no choice explains counts as the usual choice: the suite then shows it.
///
/// # Errors
///
/// A [`Fault`] of the target.
pub(crate) fn observe(
    target: &PurgedTarget<'_>,
    edition: Edition,
    removal: Option<Removal>,
) -> Result<Preferences, Fault> {
    let open = || catch_panic(|| target.open(&Opening::new(edition), removal));
    let on = Ask::Settings("-1");
    let shown: [(OpenChoice, &[Ask], Status); 4] = [
        (OpenChoice::DefaultNullIsRefused, &[Ask::Settings("null")], Status::BadRequest),
        (OpenChoice::FractionIsAccepted, &[on, Ask::Create("1.0")], Status::Created),
        (OpenChoice::WrongTtlIsStored, &[Ask::Create("0")], Status::Created),
        (
            OpenChoice::ExpiredIsGone,
            &[on, Ask::Create("1"), Ask::Pass, Ask::Off, Ask::Read],
            Status::NotFound,
        ),
    ];
    let mut choices = Preferences::default();
    for (choice, asks, shows) in shown {
        choices = choices.with(choice, answered(open()?, asks)? == Some(shows));
    }
    Ok(choices)
}

/// Describes the choices that bind.
pub fn describe(choices: Preferences) -> String {
    let word =
        |choice, words: (&'static str, &'static str)| if choices.has(choice) { words.1 } else { words.0 };
    format!(
        "null as `defaultTtl` is {}, `ttl` 1.0 is {}, a wrong `ttl` while off is {}, an expired item is {}",
        word(OpenChoice::DefaultNullIsRefused, ("off", "refused")),
        word(OpenChoice::FractionIsAccepted, ("refused", "taken")),
        word(OpenChoice::WrongTtlIsStored, ("refused", "stored")),
        word(OpenChoice::ExpiredIsGone, ("back", "gone")),
    )
}

/// The requests that show a choice.
#[derive(Clone, Copy)]
enum Ask {
    Settings(&'static str),
    Off,
    Create(&'static str),
    Read,
    Pass,
}

/// Returns the status of the last answer in a new session with a container that is off; `None` if it is not offered.
fn answered(mut session: Box<dyn Session + '_>, asks: &[Ask]) -> Result<Option<Status>, Fault> {
    let status = asked(session.as_mut(), asks);
    let closed = catch_panic(|| session.close());
    match status {
        Err(Fault::Unsupported(_)) => closed.map(|()| None),
        status => closed.and(status),
    }
}

fn asked(session: &mut dyn Session, asks: &[Ask]) -> Result<Option<Status>, Fault> {
    let mut last = catch_panic(|| session.send(&Request::CreateContainer(Container::default())))?.status;
    let literal = |text| Literal::parse(text).ok();
    for ask in asks {
        let container =
            |default_ttl| Request::ReplaceContainer(Container { default_ttl, ..Container::default() });
        let request = match *ask {
            Ask::Settings(text) => container(literal(text)),
            Ask::Off => container(None),
            Ask::Create(text) => {
                let properties = literal(text).map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
                Request::Item(Operation::Create(Document { id: "a".into(), properties }))
            }
            Ask::Read => Request::Item(Operation::Read("a".into())),
            Ask::Pass => {
                catch_panic(|| session.pass(1))?;
                continue;
            }
        };
        last = catch_panic(|| session.send(&request))?.status;
    }
    Ok(Some(last))
}
