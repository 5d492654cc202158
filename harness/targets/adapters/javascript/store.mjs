// A container in memory whose items expire as those of Azure Cosmos DB do. It knows nothing of the protocol.

const LONGEST = 2147483647; // seconds

/** The store said no; the message says why, in a word. */
export class Refused extends Error {}

export class Store {
  held = false; // true: nothing is removed but by `purge`
  #defaultTtl = null; // null: time to live is off
  partition = "p"; // the partition key of the items that are meant
  #items = null; // by partition key and id, the expired ones included; null: there is no container
  #writes = 0;

  constructor(now) {
    this.now = now; // seconds of the Unix epoch; the owner of the store moves it
  }

  createContainer(defaultTtl, indexing) {
    if (this.#items) throw new Refused("conflict");
    this.#configure(defaultTtl, indexing);
    this.#items = new Map();
  }

  replaceContainer(defaultTtl, indexing) {
    this.#container();
    this.#configure(defaultTtl, indexing);
  }

  create(item) {
    check(item);
    if (this.#find(item.id)) throw new Refused("conflict");
    return this.#write(item);
  }

  /** The item, and whether it is a new one. */
  upsert(item) {
    check(item);
    const isNew = !this.#find(item.id);
    return [this.#write(item), isNew];
  }

  replace(item, etag) {
    check(item);
    this.#expect(item.id, etag);
    return this.#write(item);
  }

  patch(id, changes, removals, etag) {
    check(changes);
    const old = this.#expect(id, etag);
    const isThere = (name) => Object.hasOwn(old, name);
    if (Object.hasOwn(changes, "_ts") || !removals.every(isThere)) throw new Refused("bad-request");
    const item = { ...old, ...changes };
    for (const name of removals) delete item[name];
    return this.#write(item);
  }

  read(id) {
    return this.#expect(id);
  }

  delete(id, etag) {
    this.#expect(id, etag);
    this.#items.delete(this.#key(id));
  }

  query() {
    const here = [...this.#container()].filter(([key]) => JSON.parse(key)[0] === this.partition);
    return here.map(([, item]) => item).filter((item) => !this.#isExpired(item));
  }

  /** The ids that follow `after`, and whether there are more than these. */
  page(size, after) {
    const ids = this.query().map((item) => item.id).filter((id) => after === undefined || after < id).sort();
    return [ids.slice(0, size), size < ids.length];
  }

  /** All that `work` does takes effect, or none of it: stored items are never changed, only exchanged. */
  atomic(work) {
    const before = new Map(this.#container());
    try {
      return work();
    } catch (error) {
      this.#items = before;
      throw error;
    }
  }

  /** Removes what is expired now. No client sees that, unless the settings change later. */
  purge() {
    if (this.#items) this.#items = new Map([...this.#items].filter(([, item]) => !this.#isExpired(item)));
  }

  #configure(defaultTtl, indexing) {
    defaultTtl ??= null; // an explicit null means the same as none: off
    if (defaultTtl !== null) {
      checkSeconds(defaultTtl);
      if (indexing === "none") throw new Refused("bad-request"); // expired items are found by the index
    }
    this.#defaultTtl = defaultTtl;
  }

  #key(id) {
    return JSON.stringify([this.partition, id]);
  }

  #container() {
    if (!this.#items) throw new Refused("not-found");
    return this.#items;
  }

  #isExpired(item) {
    if (this.#defaultTtl === null) return false;
    const ttl = Object.hasOwn(item, "ttl") ? item.ttl : this.#defaultTtl;
    return ttl !== -1 && item._ts + ttl <= this.now;
  }

  #find(id) {
    const item = this.#container().get(this.#key(id));
    return item && !this.#isExpired(item) ? item : null;
  }

  #expect(id, etag) {
    const item = this.#find(id);
    if (!item) throw new Refused("not-found");
    if (etag !== undefined && etag !== item._etag) throw new Refused("precondition-failed");
    return item;
  }

  #write(item) {
    if (!this.held) this.purge(); // the background, which here has its chance at every write
    this.#writes += 1;
    const stored = { ...item, _ts: this.now, _etag: `"${this.#writes}"` };
    this.#items.set(this.#key(item.id), stored);
    return stored;
  }
}

function check(item) {
  if (Object.hasOwn(item, "ttl")) checkSeconds(item.ttl); // absent is fine, null is not
}

/** 10.0 is 10 as soon as it is parsed, and so it is accepted, which is one of two right answers. */
function checkSeconds(ttl) {
  if (!(Number.isInteger(ttl) && (ttl === -1 || (1 <= ttl && ttl <= LONGEST)))) throw new Refused("bad-request");
}
