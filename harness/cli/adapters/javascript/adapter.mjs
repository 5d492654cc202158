// Puts `store.mjs` behind the process protocol (PROTOCOL.md): a line comes in, the store is called, a line goes out.
// It translates and decides nothing. A number reaches the store as JSON.parse returns it: 10.0 is 10, 1e400 is Infinity.

import { ABOUT, Refused, Store, Unsupported } from "./store.mjs";

const START = 1_700_000_000; // where the clock of every session begins

const REQUESTS = {
  "create-container": (store, it) => {
    store.createContainer(it.defaultTtl, it.indexing);
    return { status: "created", ...settings(store) };
  },
  "replace-container": (store, it) => {
    store.replaceContainer(it.defaultTtl, it.indexing);
    return { status: "ok", ...settings(store) };
  },
  "read-container": (store) => ({ status: "ok", ...settings(store) }),
  "delete-container": (store) => (store.deleteContainer(), { status: "no-content" }),
  create: (store, it) => ({ status: "created", item: store.create(it.item) }),
  upsert: (store, it, options) => {
    const [item, isNew] = store.upsert(it.item, options["if-match"]);
    return { status: isNew ? "created" : "ok", item };
  },
  replace: (store, it) => ({ status: "ok", item: store.replace(it.item, it["if-match"]) }),
  patch: (store, it) => {
    const operations = (it.operations ?? []).flatMap(Object.entries);
    return { status: "ok", item: store.patch(it.id, it.set ?? {}, it.remove ?? [], it["if-match"], operations) };
  },
  read: (store, it, options) => ({ status: "found", item: store.read(it.id, options["if-none-match"]) }),
  delete: (store, it) => (store.delete(it.id, it["if-match"]), { status: "no-content" }),
  query: (store, it, { page }) => {
    if (!page) return { status: "ok", ids: ids(store.query()) };
    const [found, more] = store.page(page.size, page.continuation);
    return { status: "ok", ids: found, ...(more && { continuation: found.at(-1) }) };
  },
  list: (store, it, options) => REQUESTS.query(store, it, options),
  count: (store) => ({ status: "ok", count: store.query().length }),
  "read-many": (store, it) => ({ status: "ok", ids: ids(store.query()).filter((id) => it.ids.includes(id)) }),
  select: (store, it) => ({ status: "ok", ...store.select(it) }),
  batch: (store, { operations }) => {
    const committed = [];
    try {
      store.atomic(operations.length, () => operations.forEach((it) => committed.push(request(store, it).status)));
    } catch (error) {
      if (error instanceof Refused) return { status: error.status, aborted: committed.length };
      throw error;
    }
    return { status: "ok", committed };
  },
};

const settings = (store) => (ABOUT.offers.includes("read-container") ? { container: store.readContainer() } : {});
const ids = (items) => items.map((item) => item.id);

function request(store, asked, options = {}) {
  const [[kind, it]] = Object.entries(asked);
  if (!Object.hasOwn(REQUESTS, kind)) throw new Unsupported(`the request ${kind}`);
  return REQUESTS[kind](store, it, options);
}

const sessions = new Map();
function answer({ hello, open, send, pass, purge, close, bye }) {
  if (hello) return { hello: { protocol: 1, ...ABOUT } };
  if (send) {
    const { session, request: asked, container = null, partition = "p", ...options } = send;
    return { answer: request(Object.assign(sessions.get(session), { container, partition }), asked, options) };
  }
  if (open) sessions.set(open.session, new Store(START));
  else if (pass) sessions.get(pass.session).now += pass.seconds;
  else if (purge?.do === "hold") sessions.get(purge.session).held = true;
  else if (purge?.do === "now") sessions.get(purge.session).purge();
  else if (close) sessions.delete(close.session);
  else if (!bye) throw new Unsupported("this message, or something in it");
  return { ok: {} };
}

function excuse(error) {
  if (error instanceof Refused) return { answer: { status: error.status } };
  if (error instanceof Unsupported) return { unsupported: error.message };
  console.error(error); // to stderr, which is shown with the vector
  return { broken: String(error) };
}

console.log = console.error; // what a store prints must not come between the lines
let rest = "";
reading: for await (const text of process.stdin.setEncoding("utf8")) {
  const lines = (rest + text).split("\n"); // and not at U+2028, as some versions of node:readline do
  rest = lines.pop();
  for (const message of lines.map((line) => JSON.parse(line))) {
    let reply;
    try {
      reply = answer(message);
    } catch (error) {
      reply = excuse(error);
    }
    process.stdout.write(`${JSON.stringify({ q: message.q, ...reply })}\n`);
    if (message.bye) break reading; // process.exit() would not wait for what was written
  }
}
