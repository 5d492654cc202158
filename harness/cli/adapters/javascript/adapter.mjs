// Puts `store.mjs` behind the process protocol (PROTOCOL.md): a line comes in, the store is called, a line goes out.
// It translates and decides nothing. A number reaches the store as JSON.parse returns it: 10.0 is 10, 1e400 is Infinity.

import { ABOUT, Refused, Store, Unsupported } from "./store.mjs";

const START = 1_700_000_000; // where the clock of every session begins

const REQUESTS = {
  "create-container": async (store, it) => (await store.createContainer(it.defaultTtl, it.indexing), settings("created", store)),
  "replace-container": async (store, it) => (await store.replaceContainer(it.defaultTtl, it.indexing), settings("ok", store)),
  "read-container": (store) => settings("ok", store),
  "delete-container": async (store) => (await store.deleteContainer(), { status: "no-content" }),
  create: async (store, it) => ({ status: "created", item: await store.create(it.item) }),
  upsert: async (store, it, options) => {
    const [item, isNew] = await store.upsert(it.item, options["if-match"]);
    return { status: isNew ? "created" : "ok", item };
  },
  replace: async (store, it) => ({ status: "ok", item: await store.replace(it.item, it["if-match"]) }),
  patch: async (store, it) => {
    const operations = (it.operations ?? []).flatMap(Object.entries);
    const item = await store.patch(it.id, it.set ?? {}, it.remove ?? [], it["if-match"], operations);
    return { status: "ok", item };
  },
  read: async (store, it, options) => ({ status: "found", item: await store.read(it.id, options["if-none-match"]) }),
  delete: async (store, it) => (await store.delete(it.id, it["if-match"]), { status: "no-content" }),
  query: async (store, it, { page }) => {
    if (!page) return { status: "ok", ids: ids(await store.query()) };
    const [found, more] = await store.page(page.size, page.continuation);
    return { status: "ok", ids: found, ...(more && { continuation: found.at(-1) }) };
  },
  list: (store, it, options) => REQUESTS.query(store, it, options),
  count: async (store) => ({ status: "ok", count: (await store.query()).length }),
  "read-many": async (store, it) => {
    return { status: "ok", ids: ids(await store.query()).filter((id) => it.ids.includes(id)) };
  },
  select: async (store, it) => ({ status: "ok", ...(await store.select(it)) }),
  batch: async (store, { operations }) => {
    const committed = [];
    try {
      await store.atomic(operations.length, async () => {
        for (const it of operations) committed.push((await request(store, it)).status);
      });
    } catch (error) {
      if (error instanceof Refused) return { status: error.status, aborted: committed.length };
      throw error;
    }
    return { status: "ok", committed };
  },
};

async function settings(status, store) {
  return ABOUT.offers.includes("read-container") ? { status, container: await store.readContainer() } : { status };
}

const ids = (items) => items.map((item) => item.id);

function request(store, asked, options = {}) {
  const [[kind, it]] = Object.entries(asked);
  if (!Object.hasOwn(REQUESTS, kind)) throw new Unsupported(`the request ${kind}`);
  return REQUESTS[kind](store, it, options);
}

const sessions = new Map();
async function answer({ hello, open, send, pass, purge, close, bye }) {
  if (hello) return { hello: { protocol: 1, ...ABOUT } };
  if (send) {
    const { session, request: asked, container = null, partition = "p", ...options } = send;
    const store = Object.assign(sessions.get(session), { container, partition });
    return { answer: await request(store, asked, options) };
  }
  if (open) sessions.set(open.session, new Store(START));
  else if (pass) sessions.get(pass.session).now += pass.seconds;
  else if (purge?.do === "hold") sessions.get(purge.session).held = true;
  else if (purge?.do === "now") await sessions.get(purge.session).purge();
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
    const reply = await answer(message).catch(excuse);
    process.stdout.write(`${JSON.stringify({ q: message.q, ...reply })}\n`);
    if (message.bye) break reading; // process.exit() would not wait for what was written
  }
}
