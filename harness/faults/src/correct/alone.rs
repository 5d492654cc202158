//! Correct stores that differ from the usual one in one thing.

use cosmos_ttl_harness::target::Edition;

use super::stores;
use crate::freedom::{
    Background, BatchOrder, Echo, FeedOrder, Freedom, Lazy, Numbers, Pick, Precondition, Test, USUAL,
    Unindexed,
};

stores! {
    "usual": "Takes the usual choice everywhere." because "the base of all others" {}
    "null-refused": "Refuses `defaultTtl` null." because "container-null-is-off" { null_refused: true }
    "fraction-refused": "Refuses ttl 10.0." because "item-integral-fraction" { fraction_refused: Pick::Other }
    "fraction-refused-by-id": "Refuses ttl 10.0 of some items." because "item-integral-fraction binds an item"
        { fraction_refused: Pick::ById }
    "default-fraction-taken": "Takes `defaultTtl` 10.0." because "no clause says what 10.0 is for a container"
        { default_fraction_taken: true }
    "invalid-stored-while-off": "Stores any ttl while off; such an item inherits later."
        because "item-invalid-while-off" { invalid_stored: Pick::Other }
    "invalid-stored-while-off-never": "Stores any ttl while off; such an item never expires later."
        because "item-invalid-while-off; no clause says what the value means later"
        { invalid_stored: Pick::Other, invalid_never: Pick::Other }
    "invalid-stored-by-id": "Stores any ttl of some items while off." because "item-invalid-while-off binds an item"
        { invalid_stored: Pick::ById }
    "invalid-never-by-id": "Of the bad values stored while off some mean never and some inherit."
        because "no clause says what the value means later"
        { invalid_stored: Pick::Other, invalid_never: Pick::ById }
    "counts-expired": "Counts expired items until they are removed." because "expired-in-aggregates"
        { expired_counted: Pick::Other }
    "counts-expired-by-turns": "Counts expired items at every second request." because "expired-in-aggregates binds nothing"
        { expired_counted: Pick::Turns }
    "counts-some-expired": "Counts some expired items and others not." because "expired-in-aggregates binds nothing"
        { expired_counted: Pick::ById }
    "expired-upsert-ok": "An upsert over an expired item answers 200." because "expired-upsert-status"
        { expired_upsert_ok: Pick::Other }
    "expired-upsert-by-turns": "An upsert over an expired item answers 200 or 201 by turns."
        because "expired-upsert-status binds nothing" { expired_upsert_ok: Pick::Turns }
    "upsert-always-created": "An upsert answers 201 also over a living item." because "no clause names this status"
        { living_upsert_created: Pick::Other }
    "precondition-failed": "A conditional write on an item that is not there answers 412."
        because "expired-precondition" { precondition: Precondition::Failed }
    "precondition-until-removed": "A conditional write on an expired item answers 412 before its removal and 404 after it."
        because "expired-precondition binds nothing" { precondition: Precondition::UntilRemoved }
    "precondition-of-replace": "Only a conditional replace of an expired item answers 412, the others 404."
        because "expired-precondition binds nothing" { precondition: Precondition::ReplaceOnly }
    "precondition-by-turns": "A conditional write on an expired item answers 404 and 412 by turns."
        because "expired-precondition binds nothing" { precondition: Precondition::Turns }
    "gone-for-good": "What is expired when the settings change never comes back." because "reappearance"
        { gone: Pick::Other }
    "gone-by-id": "Of the expired items some come back and some do not." because "reappearance binds an item"
        { gone: Pick::ById }
    "gone-by-turns": "Every second expired item comes back." because "reappearance binds an item" { gone: Pick::Turns }
    "order-value-etag": "Tests the value, then the etag, then whether the item is there."
        because "no document says which refusal comes first" { order: [Test::Value, Test::Etag, Test::Existence] }
    "order-existence-value": "Tests whether the item is there, then the value, then the etag."
        because "no document says which refusal comes first" { order: [Test::Existence, Test::Value, Test::Etag] }
    "order-existence-etag": "Tests whether the item is there, then the etag, then the value."
        because "no document says which refusal comes first" { order: [Test::Existence, Test::Etag, Test::Value] }
    "order-etag-value": "Tests the etag, then the value, then whether the item is there."
        because "no document says which refusal comes first" { order: [Test::Etag, Test::Value, Test::Existence] }
    "order-etag-existence": "Tests the etag, then whether the item is there, then the value."
        because "no document says which refusal comes first" { order: [Test::Etag, Test::Existence, Test::Value] }
    "batch-values-first": "A batch tests all values before anything else."
        because "no document says which operation of a batch is refused first" { batch_order: BatchOrder::ValuesFirst }
    "batch-last-refused": "An aborted batch names the last operation that it refuses."
        because "no document says which operation of a batch is refused first" { batch_order: BatchOrder::LastFirst }
    "lazy-empty": "Under lazy indexing, queries find nothing for two seconds after a change of the default."
        because "lazy-index-may-lag" { lazy: Lazy::Empty }
    "lazy-half": "Under lazy indexing, queries find every second item for two seconds after a change of the default."
        because "lazy-index-may-lag" { lazy: Lazy::Half }
    "lazy-stale": "Under lazy indexing, queries go by the previous default for two seconds after a change."
        because "the document of 2018: answers are not complete or not correct meanwhile" { lazy: Lazy::Stale }
    "lazy-empty-thrice": "Under lazy indexing, the next three queries after a change of the default find nothing."
        because "lazy-index-may-lag" { lazy: Lazy::EmptyThrice }
    "lazy-refused": "Refuses lazy indexing." because "indexed-modes-allow-ttl: where the account offers it"
        { lazy: Lazy::Refused }
    "lazy-unsupported": "Does not support lazy indexing." because "indexed-modes-allow-ttl: where the account offers it"
        { lazy: Lazy::Unsupported }
    "unindexed-refuses-queries": "Refuses queries and counts where there is no index."
        because "no clause says what a query without an index answers" { unindexed: Unindexed::Refuses }
    "unindexed-finds-nothing": "Finds nothing where there is no index."
        because "no clause says what a query without an index answers" { unindexed: Unindexed::Empty }
    "unindexed-unsupported": "Does not support queries where there is no index."
        because "no clause says what a query without an index answers" { unindexed: Unindexed::Unsupported }
    "echo-reads-only": "Shows the item in no answer to a write." because "PROTOCOL.md: `item` may be left out"
        { echo: Echo::ReadsOnly }
    "echo-create": "Shows the item in the answer to a create, and to no other write."
        because "PROTOCOL.md: `item` may be left out" { echo: Echo::CreateAndRead }
    "echo-all-but-patch": "Shows the item in the answer to every write but a patch."
        because "PROTOCOL.md: `item` may be left out" { echo: Echo::AllButPatch }
    "echo-writes-bare": "Shows `_ts` and `_etag` in reads only." because "PROTOCOL.md: both may be left out"
        { echo: Echo::WritesBare }
    "echo-no-ts": "Shows no `_ts`." because "PROTOCOL.md: `_ts` may be left out" { echo: Echo::NoTs }
    "echo-no-etag": "Shows no `_etag`." because "PROTOCOL.md: `_etag` may be left out" { echo: Echo::NoEtag }
    "background-never": "Removes nothing, ever." because "purge-may-wait" { background: Background::Never }
    "background-each-request": "Removes expired items before each request." because "purge-may-wait"
        { background: Background::EachRequest }
    "background-of-five-minutes": "Removes expired items every five minutes." because "purge-may-wait"
        { background: Background::Every(300) }
    "background-of-three-seconds": "Removes expired items every three seconds." because "purge-may-wait"
        { background: Background::Every(3) }
    "background-one-at-a-time": "Removes one expired item before each request, the newest first."
        because "purge-may-wait; no clause names an order" { background: Background::OneAtATime }
    "background-on-access": "Removes an expired item right after a request about it." because "purge-may-wait"
        { background: Background::OnAccess }
    "background-before-settings": "Removes expired items right before the settings change."
        because "purge-may-wait, reappearance" { background: Background::BeforeSettings }
    "background-timers": "Removes each item by a timer, at its deadline." because "purge-may-wait, reappearance"
        { background: Background::Timers }
    "starts-in-1970": "Starts ten seconds after the Unix epoch." because "no clause names a date" { start: 10 }
    "starts-before-2038": "Passes the second 2147483648 soon after its start." because "no clause names a date"
        { start: 2_147_483_643 }
    "starts-before-2106": "Passes the second 4294967296 soon after its start." because "no clause names a date"
        { start: 4_294_967_291 }
    "edition-2020": "Knows only the documents of 2020." because "item-null-inherits until 2020"
        { editions: &[Edition::Y2020] }
    "edition-2024": "Knows only the documents of 2024." because "item-null-rejected since 2024"
        { editions: &[Edition::Y2024] }
    "no-batches": "Does not support batches." because "PROTOCOL.md: unsupported" { unsupported: &["batch"] }
    "no-patches": "Does not support patches." because "PROTOCOL.md: unsupported" { unsupported: &["patch"] }
    "no-counts": "Does not support counts." because "PROTOCOL.md: unsupported" { unsupported: &["count"] }
    "no-lists": "Does not support the feed of all items." because "PROTOCOL.md: unsupported" { unsupported: &["list"] }
    "no-queries": "Does not support queries and counts." because "PROTOCOL.md: unsupported"
        { unsupported: &["query", "count"] }
    "no-upserts": "Does not support upserts." because "PROTOCOL.md: unsupported" { unsupported: &["upsert"] }
    "no-conditions": "Does not support conditions on etags." because "PROTOCOL.md: unsupported"
        { unsupported: &["if-match"] }
    "no-settings-changes": "Does not support a change of the settings." because "PROTOCOL.md: unsupported"
        { unsupported: &["replace-container"] }
    "no-unindexed-containers": "Does not support containers without an index." because "PROTOCOL.md: unsupported"
        { unsupported: &["unindexed"] }
    "feed-backwards": "Lists items backwards." because "no clause names an order" { feed: FeedOrder::Backwards }
    "feed-newest-first": "Lists the last written item first." because "no clause names an order"
        { feed: FeedOrder::Newest }
    "feed-rotating": "Lists items from another one on each time." because "no clause names an order"
        { feed: FeedOrder::Rotating }
    "numbers-as-floats": "Keeps numbers as JavaScript does, so that 10.0 is 10."
        because "item-integral-fraction; 10 and 10.0 are one value" { numbers: Numbers::AsFloats }
    "long-etags": "Has etags like the service's, without quotes." because "no clause says what an etag looks like"
        { long_etags: true }
    "talks": "Adds words for people to every answer." because "PROTOCOL.md: `detail`" { talks: true }
}
