//! Requests about the wrong item, and new items that keep something of old ones.

use super::faults;
use crate::third::call::FlawSite::*;
use crate::third::call::Handler::*;
use crate::third::flaw::Flaw::*;

faults! {
    "read-in-any-partition": "A read finds an item by its id alone."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Read)), shown_by "open off; in q create a; read a"
    "create-in-any-partition": "A create conflicts with the same id in another partition."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Create)), shown_by "open off; create a; in q create a"
    "upsert-in-any-partition": "An upsert writes over the same id in another partition."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Upsert)), shown_by "open off; create a; in q upsert a x=1"
    "replace-in-any-partition": "A replace finds an item by its id alone."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Replace)), shown_by "open off; create a; in q replace a"
    "delete-in-any-partition": "A delete finds an item by its id alone."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Delete)), shown_by "open off; create a; in q delete a"
    "patch-in-batch-in-any-partition": "A patch in a batch finds an item by its id alone."
        breaks ["identity-is-partition-and-id"] by AnyPartition(InBatch(Patch)), shown_by "open off; create a; in q batch [patch a x=1]"
    "query-of-all-partitions": "A query of one partition returns the items of all."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Query)), shown_by "open off; create a; in q query"
    "later-pages-of-all-partitions": "The later pages of a list hold the items of all partitions."
        breaks ["identity-is-partition-and-id"] by AnyPartition(LaterPages(List)), shown_by "open off; create a; create b; in q create c; list by 1; list rest"
    "count-of-all-partitions": "A count of one partition counts the items of all."
        breaks ["identity-is-partition-and-id"] by AnyPartition(Of(Count)), shown_by "open off; create a; in q count"
    "ids-in-any-case": "Ids are the same in any case of their letters."
        breaks ["identity-is-partition-and-id"] by AnyCaseIds, shown_by "open off; create a; read A"
    "ids-by-prefix": "An id stands for the first item whose id begins with it."
        breaks ["identity-is-partition-and-id"] by PrefixIds, shown_by "open off; create ab; read a"
    "ids-without-zeros": "Zeros at the start of an id do not count."
        breaks ["identity-is-partition-and-id"] by TrimmedZeros, shown_by "open off; create 7; read 07"
    "expiry-by-id": "If an item is expired, so is every item with its id in another partition."
        breaks ["identity-is-partition-and-id"] by ExpiryById, shown_by "open -1; create a; in q create a ttl=2; +2; read a"
    "keeps-old-ttl": "A write over an expired item keeps its `ttl` unless it brings its own."
        breaks ["expired-id-is-free"] by KeepsOldTtl, shown_by "open -1; create a ttl=2; +2; create a"
    "keeps-old-body": "An upsert over an expired item keeps the properties that it does not bring."
        breaks ["purge-invisible", "hidden-immediately"] by KeepsOldBody, shown_by "open 2; create a x=1; +2; upsert a"
    "keeps-old-etag": "A write over an expired item keeps its etag."
        breaks ["expired-id-is-free"] by KeepsOldEtag, shown_by "open 2; create a; +2; create a"
    "keeps-old-ts": "A write over an expired item keeps its `_ts`."
        breaks ["expired-id-is-free", "counted-from-last-write"] by KeepsOldTs, shown_by "open 2; create a; +2; create a"
    "deleted-ttl-remains": "The `ttl` of a deleted item applies to the next item with its id."
        breaks ["item-absent-inherits", "inherited-ttl-not-written-back"] by DeletedTtlRemains, shown_by "open -1; create a ttl=2; delete a; create a"
}
