//! The choices of a target under open clauses, as far as the machine depends on them.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Fault, Operation, PurgedTarget, Removal, Request, Status,
};
use cosmos_ttl_model::choices::{OpenChoice, Preferences};

use crate::player::Player;
use crate::{Action, Call, Script};

/// The choices that bind an item or the target, those on which the machine depends.
pub const BINDING: [OpenChoice; 4] = [
    OpenChoice::ExpiredIsGone,
    OpenChoice::NullIsRefused,
    OpenChoice::FractionIsAccepted,
    OpenChoice::WrongTtlIsStored,
];

/// Observes the choices of a target that bind: the last answer of a script shows each.
///
/// An answer that no choice explains counts as the usual choice: the suite then shows it.
///
/// # Errors
///
/// A [`Fault`] of the target.
pub(crate) fn observe(target: &PurgedTarget<'_>, removal: Option<Removal>) -> Result<Preferences, Fault> {
    let ask = |request| Action::Call(Call::plain(request));
    let container = |text: &str| Container { default_ttl: Literal::parse(text).ok(), ..Container::default() };
    let settings = |text: &str| ask(Request::ReplaceContainer(container(text)));
    let create = |text: &str| {
        let properties = Literal::parse(text).ok().map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
        ask(Request::Item(Operation::Create(Document { id: "a".into(), properties })))
    };
    let (off, on) = (|| ask(Request::ReplaceContainer(Container::default())), || settings("-1"));
    let read = ask(Request::Item(Operation::Read("a".into())));
    let shown = [
        (OpenChoice::NullIsRefused, vec![settings("null")], Status::BadRequest),
        (OpenChoice::FractionIsAccepted, vec![on(), create("1.0")], Status::Created),
        (OpenChoice::WrongTtlIsStored, vec![create("0")], Status::Created),
        (OpenChoice::ExpiredIsGone, vec![on(), create("1"), Action::Wait(1), off(), read], Status::NotFound),
    ];
    let mut choices = Preferences::default();
    for (choice, actions, shows) in shown {
        let asked = actions.len() + 1;
        let player = Player::replay(target, &Script { container: Container::default(), actions }, removal);
        let is_whole = player.actions.len() == asked;
        let last = player.exchanges.last().map(|exchange| exchange.response.status);
        choices = choices.with(choice, is_whole && last == Some(shows));
        player.into_difference()?;
    }
    Ok(choices)
}

/// Describes the choices that bind.
pub fn describe(choices: Preferences) -> String {
    let word =
        |choice, words: (&'static str, &'static str)| if choices.has(choice) { words.1 } else { words.0 };
    format!(
        "null as `defaultTtl` is {}, `ttl` 1.0 is {}, a wrong `ttl` while off is {}, an expired item is {}",
        word(OpenChoice::NullIsRefused, ("off", "refused")),
        word(OpenChoice::FractionIsAccepted, ("refused", "taken")),
        word(OpenChoice::WrongTtlIsStored, ("refused", "stored")),
        word(OpenChoice::ExpiredIsGone, ("back", "gone")),
    )
}
