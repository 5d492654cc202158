//! The choices of a target under open clauses, as far as the machine depends on them.

use std::fmt;

use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Fault, Opening, Operation, PurgedTarget, Request, Session, Status, Target as _,
};
use cosmos_ttl_model::interpretation::{ContainerNull, IntegralFraction, Interpretation, InvalidWhileOff};

/// The choices of a target under one schedule of removal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetChoices {
    /// `container-null-is-off`
    pub container_null: ContainerNull,
    /// `item-integral-fraction`
    pub integral_fraction: IntegralFraction,
    /// `item-invalid-while-off`
    pub invalid_while_off: InvalidWhileOff,
    /// `reappearance`: an expired item is gone for good once settings would show it.
    pub gone: bool,
}

impl TargetChoices {
    /// Returns the choices in the model; the others are usual.
    pub fn interpretation(self) -> Interpretation {
        let Self { container_null, integral_fraction, invalid_while_off, .. } = self;
        Interpretation { container_null, integral_fraction, invalid_while_off, ..Interpretation::default() }
    }

    /// Observes the choices of a target: one request for each, in sessions of their own.
    ///
    /// An answer that no choice explains counts as the usual choice: the suite then shows it.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target.
    pub fn observe(target: &PurgedTarget<'_>, opening: Opening) -> Result<Self, Fault> {
        let mut choices = Self::default();
        if answered(target, opening, &[Ask::Settings("null")])? == Some(Status::BadRequest) {
            choices.container_null = ContainerNull::Rejected;
        }
        let on = Ask::Settings("-1");
        if answered(target, opening, &[on, Ask::Create("1.0")])? == Some(Status::Created) {
            choices.integral_fraction = IntegralFraction::Accepted;
        }
        if answered(target, opening, &[Ask::Create("0")])? == Some(Status::Created) {
            choices.invalid_while_off = InvalidWhileOff::Stored;
        }
        let expired = [on, Ask::Create("1"), Ask::Pass, Ask::Off, Ask::Read];
        choices.gone = answered(target, opening, &expired)? == Some(Status::NotFound);
        Ok(choices)
    }
}

impl fmt::Display for TargetChoices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let null = if self.container_null == ContainerNull::Off { "off" } else { "refused" };
        let fraction = if self.integral_fraction == IntegralFraction::Accepted { "taken" } else { "refused" };
        let invalid = if self.invalid_while_off == InvalidWhileOff::Stored { "stored" } else { "refused" };
        let fate = if self.gone { "gone" } else { "back" };
        write!(f, "null as `defaultTtl` is {null}, `ttl` 1.0 is {fraction}, ")?;
        write!(f, "a wrong `ttl` while off is {invalid}, an expired item is {fate}")
    }
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
fn answered(target: &PurgedTarget<'_>, opening: Opening, asks: &[Ask]) -> Result<Option<Status>, Fault> {
    let mut session = catch_panic(|| target.open(&opening))?;
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
