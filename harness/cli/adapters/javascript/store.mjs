// The store under test: let each method call yours. What throws Unsupported is answered `unsupported`.
// A method may be async.

export const ABOUT = {
  name: "my store", version: "1", // of the store under test
  clock: "virtual", // "real": nothing moves the store's clock, and the harness waits
  partitions: true, // whether the methods heed `this.partition`
  pages: true, // whether there is `page`
  purge: false, // whether there is `purge()`, and `this.held` stops removal in the background
  // The parts that the store lacks: patch, batch, upsert, list, count, pages, partitions, conditions, lazy, replace-container.
  without: [],
  // The optional parts that it has: read-container, delete-container, containers, select, patch-operations, read-many,
  // if-none-match, conditional-upsert.
  offers: [],
};

/** The store said no: "bad-request", "not-found", "conflict" or "precondition-failed", or the status code, a number. */
export class Refused extends Error {
  constructor(status) {
    super(status);
    this.status = status;
  }
}

export class Unsupported extends Error {}

/**
 * One session: an account with at most one container, and a clock of its own.
 *
 * A returned item has its `id`, every property that was written, `_ts` (the second of its last write) and `_etag`.
 * An absent `ttl` and a null are two things: `Object.hasOwn(item, "ttl")` tells them apart, `item.ttl ?? ...` does not.
 */
export class Store {
  partition = "p"; // the partition key of the items that the next call is about
  container = null; // the name of its container, another than null only if `containers` is offered

  constructor(now) {
    this.now = now; // seconds since 1970, moved by the harness: the store takes its time from here
  }

  /** `defaultTtl`: any JSON value, undefined if absent. `indexing`: "consistent", "lazy" or "none". */
  createContainer(defaultTtl, indexing) {
    throw new Unsupported("create-container");
  }

  /** Replaces the settings as a whole. */
  replaceContainer(defaultTtl, indexing) {
    throw new Unsupported("replace-container");
  }

  /** Returns the item as it is stored. */
  create(item) {
    throw new Unsupported("create");
  }

  /** Returns the item, and whether it is a new one. There is an etag only if `conditional-upsert` is offered. */
  upsert(item, etag) {
    throw new Unsupported("upsert");
  }

  /** Returns the item; with an etag, only the item that has it is replaced, as in `patch` and `delete`. */
  replace(item, etag) {
    throw new Unsupported("replace");
  }

  /** Sets these properties, removes those, returns the item. `operations`: only if `patch-operations` is offered. */
  patch(id, changes, removals, etag, operations) {
    throw new Unsupported("patch");
  }

  /** Returns the item. `unless`: only if `if-none-match` is offered. */
  read(id, unless) {
    throw new Unsupported("read");
  }

  delete(id, etag) {
    throw new Unsupported("delete");
  }

  /** Returns the items of the partition that a client sees. */
  query() {
    throw new Unsupported("query");
  }

  /** Returns at most this many ids, those that follow the id `after`, and whether there are more. */
  page(size, after) {
    throw new Unsupported("page");
  }

  /** Awaits `work()`: its operations, this many, all take effect, or none if one is refused. */
  atomic(count, work) {
    throw new Unsupported("batch");
  }
}
