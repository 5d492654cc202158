// Writes a log for `cosmos-ttl judge` of what @azure/cosmos sends, each attempt a line; see harness/explore/LOGS.md:
//
//   const client = new CosmosClient({ endpoint, key, plugins: [requestLog("requests.log")] });
import { openSync, writeSync } from "node:fs";

export function requestLog(path) {
  const file = openSync(path, "w");
  const deleted = new Map();
  const now = () => performance.now() / 1000;
  const write = (line, { method, path, headers, body }, item) => {
    const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
    if (parts[0] !== "dbs" || parts.length < 3 || headers["x-ms-documentdb-isquery"]) return;
    const [isItem, sent] = [parts[4] === "docs", asJson(body)];
    const container = `${parts[1]}/${parts[3] ?? sent?.id}`;
    const request = (isItem ? ofItem : ofContainer)(method, parts[5], headers, sent);
    // A container that was deleted and is made anew is another one.
    const times = deleted.get(container) ?? 0;
    Object.assign(line, { container: `${container}#${times}`, request });
    if (isItem) {
      line.partition = headers["x-ms-documentdb-partitionkey"];
      if (line.answer?.status < 300 && item?.id) line.answer.item = item;
    } else if (method === "DELETE" && parts.length === 4) deleted.set(container, times + 1);
    if (request) writeSync(file, `${JSON.stringify(line)}\n`);
  };
  const plugin = async (context, _node, next) => {
    const line = { sent: now() };
    const answered = (status) => Object.assign(line, { received: now(), answer: { status } });
    try {
      const response = await next(context);
      write(answered(response.code), context, response.result);
      return response;
    } catch (error) {
      write(error.code >= 100 ? answered(error.code) : line, context);
      throw error;
    }
  };
  return { on: "request", plugin };
}

function asJson(body) {
  try {
    return typeof body === "string" ? JSON.parse(body) : body;
  } catch {
    return undefined;
  }
}

function ofContainer(method, _id, _headers, body) {
  const word = { POST: "create-container", PUT: "replace-container" }[method];
  const indexing = (body?.indexingPolicy?.indexingMode ?? "consistent").toLowerCase();
  return word && { [word]: { indexing, defaultTtl: body?.defaultTtl } };
}

function ofItem(method, id, headers, body) {
  const match = headers["if-match"] ? { "if-match": headers["if-match"] } : {};
  // It is not told: what is known of the partition is forgotten.
  if (headers["x-ms-cosmos-is-batch-request"]) return { batch: null };
  if (method === "PATCH") {
    const steps = body.operations ?? body;
    const plain = steps.every(({ op, path }) => ["set", "add", "remove"].includes(op) && path.lastIndexOf("/") === 0);
    const set = Object.fromEntries(steps.filter((step) => "value" in step).map(({ path, value }) => [path.slice(1), value]));
    const remove = steps.filter(({ op }) => op === "remove").map(({ path }) => path.slice(1));
    return { patch: { id, set: plain ? set : null, remove, ...match } };
  }
  const word = headers["x-ms-documentdb-is-upsert"] ? "upsert" : "create";
  const replace = { item: body, ...match };
  return { GET: id && { read: { id } }, POST: { [word]: { item: body } }, PUT: { replace }, DELETE: { delete: { id, ...match } } }[method];
}
