// Containers in memory whose items expire as those of Azure Cosmos DB do. They know nothing of the protocol.

export const ABOUT = {
  name: "javascript store", version: "1", clock: "virtual", purge: true, partitions: true, pages: true,
  offers: [
    "read-container", "delete-container", "containers", "select", "patch-operations", "read-many", "if-none-match",
    "conditional-upsert",
  ],
};
const LONGEST = 2147483647; // seconds

/** The store said no. */
export class Refused extends Error {
  constructor(status) {
    super(status);
    this.status = status;
  }
}

export class Unsupported extends Error {}

class Container {
  items = new Map(); // by partition key and id, the expired ones included

  constructor(defaultTtl) {
    this.defaultTtl = defaultTtl; // null: time to live is off
  }

  isExpired(item, now) {
    if (this.defaultTtl === null) return false;
    const ttl = Object.hasOwn(item, "ttl") ? item.ttl : this.defaultTtl;
    return ttl !== -1 && item._ts + ttl <= now;
  }
}

export class Store {
  held = false; // true: nothing is removed but by `purge`
  container = null; // the name of the container that is meant; null is a name, too
  partition = "p"; // the partition key of the items that are meant
  #containers = new Map(); // by name
  #writes = 0;

  constructor(now) {
    this.now = now; // seconds of the Unix epoch; the owner of the store moves it
  }

  createContainer(defaultTtl, indexing) {
    if (this.#containers.has(this.container)) throw new Refused("conflict");
    this.#containers.set(this.container, new Container(checkedSettings(defaultTtl, indexing)));
  }

  replaceContainer(defaultTtl, indexing) {
    this.#container().defaultTtl = checkedSettings(defaultTtl, indexing);
  }

  readContainer() {
    const { defaultTtl } = this.#container();
    return defaultTtl === null ? {} : { defaultTtl };
  }

  deleteContainer() {
    if (!this.#containers.delete(this.container)) throw new Refused("not-found");
  }

  create(item) {
    check(item);
    if (this.#find(item.id)) throw new Refused("conflict");
    return this.#write(item);
  }

  /** The item, and whether it is a new one. */
  upsert(item, etag) {
    check(item);
    const old = this.#find(item.id);
    if (old) match(old, etag);
    return [this.#write(item), !old];
  }

  replace(item, etag) {
    check(item);
    this.#expect(item.id, etag);
    return this.#write(item);
  }

  /** Sets these properties and removes those; then come the operations, each a word and its arguments. */
  patch(id, changes, removals, etag, operations = []) {
    check(changes);
    const old = this.#expect(id, etag);
    const isThere = (name) => Object.hasOwn(old, name);
    if (Object.hasOwn(changes, "_ts") || !removals.every(isThere)) throw new Refused("bad-request");
    const item = { ...structuredClone(old), ...changes };
    for (const name of removals) delete item[name];
    for (const [word, it] of operations) operate(item, word, it);
    check(item);
    return this.#write(item);
  }

  /** The item, unless its etag is this one. */
  read(id, unless) {
    const item = this.#expect(id);
    if (unless === item._etag) throw new Refused("not-modified");
    return item;
  }

  delete(id, etag) {
    this.#expect(id, etag);
    this.#container().items.delete(this.#key(id));
  }

  query(across = false) {
    const container = this.#container();
    const here = [...container.items].filter(([key]) => across || JSON.parse(key)[0] === this.partition);
    return here.map(([, item]) => item).filter((item) => !container.isExpired(item, this.now));
  }

  /** A query of another shape, as PROTOCOL.md says. */
  select({ where = {}, "order-by": orderBy, offset = 0, limit = Infinity, across, values: name, distinct: once, count }) {
    const has = (item) => ([name, value]) => Object.hasOwn(item, name) && same(item[name], value);
    let items = this.query(across).filter((item) => Object.entries(where).every(has(item)));
    const place = (item) => (Object.hasOwn(item, orderBy) ? item[orderBy] : -Number.MAX_VALUE);
    if (orderBy !== undefined) items.sort((a, b) => place(a) - place(b));
    items = items.slice(offset, offset + limit);
    if (count) return { count: items.length };
    if (name === undefined) return { ids: items.map((item) => item.id) };
    const values = items.filter((item) => Object.hasOwn(item, name)).map((item) => item[name]);
    return { values: once ? distinct(values) : values };
  }

  /** The ids that follow `after`, and whether there are more than these. */
  page(size, after) {
    const ids = this.query().map((item) => item.id).filter((id) => after === undefined || after < id).sort();
    return [ids.slice(0, size), size < ids.length];
  }

  /** All that `work` does takes effect, or none of it: stored items are never changed, only exchanged. */
  async atomic(count, work) {
    if (count > 100) throw new Refused("bad-request");
    const container = this.#container();
    const before = new Map(container.items);
    try {
      return await work();
    } catch (error) {
      container.items = before;
      throw error;
    }
  }

  /** Removes what is expired now. No client sees that, unless the settings change later. */
  purge() {
    for (const container of this.#containers.values()) {
      for (const [key, item] of container.items) {
        if (container.isExpired(item, this.now)) container.items.delete(key);
      }
    }
  }

  #key(id) {
    return JSON.stringify([this.partition, id]);
  }

  #container() {
    if (!this.#containers.has(this.container)) throw new Refused("not-found");
    return this.#containers.get(this.container);
  }

  #find(id) {
    const container = this.#container();
    const item = container.items.get(this.#key(id));
    return item && !container.isExpired(item, this.now) ? item : null;
  }

  #expect(id, etag) {
    const item = this.#find(id);
    if (!item) throw new Refused("not-found");
    match(item, etag);
    return item;
  }

  #write(item) {
    if (!this.held) this.purge(); // the background, which here has its chance at every write
    this.#writes += 1;
    const stored = { ...item, _ts: this.now, _etag: `"${this.#writes}"` };
    this.#container().items.set(this.#key(item.id), stored);
    return stored;
  }
}

function distinct(values) {
  return values.filter((value, at) => values.findIndex((other) => same(value, other)) === at);
}

function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

function match(item, etag) {
  if (etag !== undefined && etag !== item._etag) throw new Refused("precondition-failed");
}

/** Changes what is at the path, `/ttl` or `/nested/ttl`; a move takes the value from the path `from`. */
function operate(item, word, { path, value, from }) {
  if (word === "move") {
    const [parent, name] = place(item, from, true);
    value = parent[name];
    delete parent[name];
  }
  const [parent, name] = place(item, path, word === "replace" || word === "remove");
  const old = Object.hasOwn(parent, name) ? parent[name] : 0;
  if (word === "incr" && typeof old !== "number") throw new Refused("bad-request");
  if (word === "remove") delete parent[name];
  else parent[name] = word === "incr" ? old + value : value;
}

/** The object in which the end of the path is, and its name there. */
function place(item, path, mustExist) {
  const parents = path.split("/").slice(1);
  const name = parents.pop();
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const step = (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : null);
  const parent = parents.reduce(step, item);
  const isSystem = parent === item && name === "_ts";
  if (isSystem || !isObject(parent) || (mustExist && !Object.hasOwn(parent, name))) throw new Refused("bad-request");
  return [parent, name];
}

function check(item) {
  if (Object.hasOwn(item, "ttl")) checkSeconds(item.ttl); // absent is fine, null is not
}

/** The setting, null for none; an explicit null is refused: one of two right answers. */
function checkedSettings(defaultTtl, indexing) {
  if (defaultTtl === undefined) return null;
  checkSeconds(defaultTtl);
  if (indexing === "none") throw new Refused("bad-request"); // expired items are found by the index
  return defaultTtl;
}

/** 10.0 is 10 as soon as it is parsed, and so it is accepted, which is one of two right answers. */
function checkSeconds(ttl) {
  if (!(Number.isInteger(ttl) && (ttl === -1 || (1 <= ttl && ttl <= LONGEST)))) throw new Refused("bad-request");
}
