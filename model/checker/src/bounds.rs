//! Why small worlds suffice: one item and pairs of items, and lifetimes of 1 s and 2 s.
//!
//! The checker walks every state of bounded worlds. Real containers hold millions of items, and lifetimes reach 68 years.
//! This page argues, step by step, that a law which fails there fails in a small world, too. Each step names what
//! supports it: a test, or a model of the report. Tests without a path stand in `model/checker/tests/it`.
//!
//! # Number of items: one, and pairs
//!
//! 1. **Items do not influence each other.** A request about one item does the same, and is answered the same, whether
//!    another item is stored or not. So do new settings, passing time and removal. Two items share the settings, the clock
//!    and nothing else. `independence` (in `model/tests/it`) tries every request about one item in every world of two.
//! 2. **A list, a count and a batch are put together from single items.** A list is the lists of its items, a count is a
//!    sum, and a batch does to each item what its operations do alone. `independence` shows that for pairs.
//! 3. **So a property of one item needs one item** (model *one item*). A property of what a step does to *another* item, or
//!    about lists and batches, needs a pair (model *two items*). No law speaks of three items at once: a law that holds
//!    of all items holds if it holds of each pair.
//! 4. **Removal is local.** It takes one expired item and changes nothing else: the law "the background removes only what is
//!    gone under the settings of this moment, and that alone" in *two items*, and `independence`. When it happens cannot
//!    be seen while settings stand: model *removal, settings stand*, with two items.
//!
//! # Lifetimes: 1 s and 2 s
//!
//! 1. **The rule compares an age with a lifetime and does nothing else.** So a decision depends on how the numbers
//!    compare, not on what they are.
//! 2. **Two lifetimes show every case.** What can matter of an item is how its `ttl` compares with the default, and
//!    whether its age has reached each. With 1 s and 2 s each of these cases occurs, and no longer lifetime adds one.
//!    With 1 s alone some do not: `bounds`.
//! 3. **The one step from an old default to a new one is no further case.** An item without a `ttl` compares its age with
//!    two defaults instead of a default and a `ttl`. It is the same comparison.
//!
//! # Time: without bound
//!
//! 1. **Ages saturate.** An item whose age has reached the longest lifetime in play never changes its state again by
//!    waiting. Models *clock* and *clock, other readings* take each step together with a world with a real clock. A cap that is
//!    too low is noticed: `ages`.
//! 2. **So time needs no end.** States tell worlds apart by ages, and there are finitely many: `properties` pins them by
//!    formula.
//!
//! # What the argument leaves out
//!
//! - Budgets of request units tell items apart by their number: *provisioned throughput* and *serverless* walk up to two
//!   items, and removals of one and of both at once. A budget for three removals is not walked.
//! - Settings are few: the default, the indexing mode, and the choices of
//!   [`Interpretation`](cosmos_ttl_model::interpretation::Interpretation). The choices are walked in two combinations:
//!   all as usual, all the other way.
//! - The worlds with a real clock end after 4 s and 3 writes; those of two items, which `ages` walks, after 3 s.
//! - The argument is about the shipped functions. Functions with a fault may break it: a fault in which items influence
//!   each other shows with two items (`ablation::further`: `ts-never-decreases`), and one that remembers more than a state holds need
//!   not show at all.
