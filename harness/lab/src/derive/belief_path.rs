//! Follows one item through requests, with what a client may be told.

use cosmos_ttl_checker::client::{Client, PossibleAnswers, View};
use cosmos_ttl_model::container::{Request, Response};

/// What is known of one item so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BeliefPath {
    /// One thing.
    Sure(View),
    /// One thing if it came back, another if it was gone for good: somebody looked.
    Split { back: View, gone: View },
}

/// What must be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathAnswer {
    One(Response),
    Fate { back: Response, gone: Response },
    Upsert { created: Response, replaced: Response },
}

impl BeliefPath {
    /// The answer and what is known after it; `None` where no vector can say it.
    pub(super) fn ask(&self, client: &Client, request: &Request) -> Option<(PathAnswer, Self)> {
        match self {
            Self::Sure(view) => match client.ask(view, request) {
                PossibleAnswers::Sure((response, after)) => {
                    Some((PathAnswer::One(response), Self::Sure(after)))
                }
                PossibleAnswers::Upsert { created, replaced, after } => {
                    Some((PathAnswer::Upsert { created, replaced }, Self::Sure(after)))
                }
                PossibleAnswers::Fate { back: (back, back_after), gone: (gone, gone_after), .. } => Some((
                    PathAnswer::Fate { back, gone },
                    Self::Split { back: back_after, gone: gone_after },
                )),
                PossibleAnswers::Tangled => None,
            },
            Self::Split { back, gone } => {
                // One vector binds an item to one fate: it cannot say that it is open a second time.
                let (PossibleAnswers::Sure((back, back_after)), PossibleAnswers::Sure((gone, gone_after))) =
                    (client.ask(back, request), client.ask(gone, request))
                else {
                    return None;
                };
                let answer =
                    if back == gone { PathAnswer::One(back) } else { PathAnswer::Fate { back, gone } };
                Some((answer, Self::Split { back: back_after, gone: gone_after }))
            }
        }
    }

    /// A second passes.
    pub(super) fn pass(&self, client: &Client) -> Self {
        match self {
            Self::Sure(view) => Self::Sure(client.pass(view)),
            Self::Split { back, gone } => Self::Split { back: client.pass(back), gone: client.pass(gone) },
        }
    }

    /// Each view that is followed.
    pub(super) fn views(&self) -> impl Iterator<Item = &View> {
        let (first, second) = match self {
            Self::Sure(view) => (view, None),
            Self::Split { back, gone } => (back, Some(gone)),
        };
        [first].into_iter().chain(second)
    }
}
