// @TITLE@
//
//   npm install @azure/cosmos
//   node ask.mjs URL                    # the account's key is in COSMOS_TTL_KEY
//   cosmos-ttl judge --sole-writer --evidence ask.log
import { randomBytes } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { CosmosClient } from "@azure/cosmos";

const STEPS = String.raw`
@STEPS@
`;

const [endpoint] = process.argv.slice(2);
const { COSMOS_TTL_KEY: key } = process.env;
const log = openSync("ask.log", "w");
const id = `cosmos-ttl-${Math.floor(Date.now() / 1000)}-${process.pid}-${randomBytes(8).toString("hex")}`;
const { database } = await new CosmosClient({ endpoint, key }).databases.create({ id });
const container = database.container("c");
const settings = ({ defaultTtl }) => ({ id: "c", partitionKey: { paths: ["/pk"] }, defaultTtl });
const ifMatch = (condition) => condition && { accessCondition: { type: "IfMatch", condition } };
const send = {
  "create-container": (asked) => database.containers.create(settings(asked)),
  "replace-container": (asked) => container.replace(settings(asked)),
  create: ({ item }) => container.items.create({ ...item, pk: "p" }),
  upsert: ({ item }) => container.items.upsert({ ...item, pk: "p" }),
  replace: ({ item, "if-match": etag }) => container.item(item.id, "p").replace({ ...item, pk: "p" }, ifMatch(etag)),
  read: (asked) => container.item(asked.id, "p").read(),
  // The client tells no status of a query that succeeds.
  count: async () => {
    const found = container.items.query("SELECT VALUE COUNT(1) FROM c", { partitionKey: "p" });
    const [count] = (await found.fetchAll()).resources;
    if (!Number.isInteger(count)) throw new Error("the answer to the query is no count");
    return { statusCode: 200, count };
  },
};

// Without a status there was no answer.
const refusal = (error) => {
  if (typeof error.code !== "number") throw error;
  return { statusCode: error.code };
};

let etag = "";
try {
  const steps = STEPS.split("\n").slice(1, -1);
  for (const text of steps) {
    const request = JSON.parse(text.replace("@ETAG@", JSON.stringify(etag).slice(1, -1)));
    const [[word, asked]] = Object.entries(request);
    if (word === "wait") {
      await setTimeout(asked * 1000);
      continue;
    }
    const sent = performance.now() / 1000;
    const { statusCode, resource, count } = await send[word](asked).catch(refusal);
    const received = performance.now() / 1000;
    const answer = { status: statusCode, count };
    if (resource?._etag && !word.endsWith("container")) answer.item = resource;
    etag = answer.item?._etag ?? etag;
    writeSync(log, `${JSON.stringify({ sent, received, container: id, request, answer })}\n`);
    console.log(answer.status, answer.count ?? "", JSON.stringify(request));
    if (answer.status >= 400 && text !== steps.at(-1)) throw new Error("refused, so the next requests would show nothing");
  }
} finally {
  await database.delete();
}
