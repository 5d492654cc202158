// Three applications that live on time to live, and every further call that they make, with @azure/cosmos:
//
//   cargo run -p cosmos-ttl-server -- --clock virtual
//   npm ci && node application.mjs http://127.0.0.1:8081
import assert from "node:assert/strict";
import { CosmosClient } from "@azure/cosmos";

const endpoint = process.argv[2] ?? "http://127.0.0.1:8081";
// The key of every emulator, which is public.
const key = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const client = new CosmosClient({ endpoint, key });

async function control(request) {
  const response = await fetch(`${endpoint}/_ttl/${request}`, { method: "POST" });
  assert.equal(response.status, 200, await response.text());
}
const advance = (seconds) => control(`advance?seconds=${seconds}`);
const refused = (status, action) => assert.rejects(action, (error) => error.code === status || assert.fail(error));

await control("reset");
// Expired items are stored on: no answer may have one.
await control("removal?schedule=by-hand");
const { database } = await client.databases.create({ id: "shop" });
const define = async (id, paths, defaultTtl, more) =>
  (await database.containers.create({ id, partitionKey: { paths, ...more }, defaultTtl })).container;

console.log("sessions: each use restarts the count");
const sessions = await define("sessions", ["/user"], 30);
for (const [number, user] of ["ada", "ada", "bob", "eve"].entries()) {
  await sessions.items.create({ id: `s${number}`, user, hits: number, data: { cart: ["tea"], visits: 1 } });
  await advance(1);
}
const find = async (query, options, container = sessions) => (await container.items.query(query, options).fetchAll()).resources;
async function check(expected, query, options) {
  assert.deepEqual(await find(query, options), expected);
  assert.deepEqual(await find(query, { ...options, maxItemCount: 1 }), expected);
  assert.deepEqual(await find(query, { ...options, forceQueryPlan: true }), expected);
}
const newest = "SELECT VALUE c.id FROM c ORDER BY c._ts DESC";
await check(["s3", "s2", "s1", "s0"], newest);
assert.deepEqual(await find(newest, { partitionKey: "ada" }), ["s1", "s0"]);
await check(["s2", "s3"], "SELECT VALUE c.id FROM c WHERE c.hits > 1");
await check(["s0"], "SELECT VALUE c.id FROM c WHERE c.hits < 1");
await check(["s0", "s1", "s3"], "SELECT VALUE c.id FROM c WHERE c.user != 'bob'");
await check(["s2", "s3"], "SELECT VALUE c.id FROM c WHERE c.user IN ('bob', 'eve')");
await check(["s0", "s3"], "SELECT VALUE c.id FROM c WHERE c.hits = 0 OR c.user = 'eve'");
await check(["s0", "s1", "s2"], "SELECT VALUE c.id FROM c WHERE NOT (c.user = 'eve')");
await check(["s0", "s1", "s2", "s3"], "SELECT VALUE c.id FROM c WHERE IS_DEFINED(c.data.cart) AND NOT IS_NULL(c.data)");
await check(["s0", "s1"], "SELECT VALUE c.id FROM c WHERE STARTSWITH(c.user, 'a') AND CONTAINS(c.user, 'DA', true)");
const ofTwo = { query: "SELECT c.id, c.user AS userId FROM c WHERE c.hits = @hits", parameters: [{ name: "@hits", value: 2 }] };
await check([{ id: "s2", userId: "bob" }], ofTwo);
await check(["s0", "s1"], "SELECT TOP 2 VALUE c.id FROM c ORDER BY c.hits");
await check(["s1", "s2"], "SELECT VALUE c.id FROM c ORDER BY c.hits OFFSET 1 LIMIT 2");
await check(["ada", "bob", "eve"], "SELECT DISTINCT VALUE c.user FROM c");
await check([2], "SELECT VALUE COUNT(1) FROM c WHERE c.user = 'ada'");

const session = sessions.item("s0", "ada");
const { resource: used } = await session.patch([
  { op: "incr", path: "/hits", value: 5 },
  { op: "set", path: "/data/visits", value: 2 },
  { op: "add", path: "/data/cart/-", value: "milk" },
]);
assert.deepEqual([used.hits, used.data], [5, { cart: ["tea", "milk"], visits: 2 }]);
const filtered = { operations: [{ op: "incr", path: "/hits", value: 1 }], condition: "FROM c WHERE c.hits = 5" };
assert.equal((await session.patch(filtered)).resource.hits, 6);
await refused(412, () => session.patch(filtered));
await refused(400, () => session.patch([{ op: "replace", path: "/data/absent", value: 1 }]));
await session.patch([{ op: "move", from: "/data/visits", path: "/visits" }]);
const many = (ids) => find({
  query: `SELECT * FROM c WHERE ${ids.map((_, at) => `(c.id = @id${at} AND c.user = @user${at})`).join(" OR ")}`,
  parameters: ids.flatMap(([id, user], at) => [{ name: `@id${at}`, value: id }, { name: `@user${at}`, value: user }]),
});
assert.deepEqual((await many([["s0", "ada"], ["s2", "bob"], ["s2", "ada"]])).map((item) => item.id), ["s0", "s2"]);
await advance(28);
await check(["s0", "s3"], "SELECT VALUE c.id FROM c ORDER BY c.id");
await check([2], "SELECT VALUE COUNT(1) FROM c");
const { etag } = await session.read();
const known = { accessCondition: { type: "IfNoneMatch", condition: etag } };
assert.equal((await session.read(known)).statusCode, 304);
await advance(2);
assert.equal((await session.read(known)).statusCode, 404);

console.log("an outbox: what was sent is kept for a day");
const outbox = await define("outbox", ["/order"], -1);
const event = (number) => ({ id: `e${number}`, order: "o1", sent: false, n: number });
const events = [0, 1, 2, 3, 4].map((number) => ({ operationType: "Create", resourceBody: event(number) }));
assert.equal((await outbox.items.batch(events, "o1")).code, 200);
const oldest = "SELECT * FROM c WHERE c.sent = false ORDER BY c.n";
const pages = outbox.items.query(oldest, { partitionKey: "o1", maxItemCount: 2 });
while (pages.hasMoreResults()) {
  for (const { id } of (await pages.fetchNext()).resources ?? []) {
    await outbox.item(id, "o1").patch([{ op: "set", path: "/sent", value: true }, { op: "set", path: "/ttl", value: 86400 }]);
  }
}
assert.deepEqual(await find(oldest, {}, outbox), []);
await advance(86399);
assert.deepEqual(await find("SELECT VALUE COUNT(1) FROM c", {}, outbox), [5]);
await advance(1);
assert.deepEqual(await find("SELECT VALUE COUNT(1) FROM c", {}, outbox), [0]);

console.log("bulk: each operation stands alone");
const operation = (operationType, id, more) => ({ operationType, partitionKey: "o2", id, ...more });
const bulk = await outbox.items.executeBulkOperations([
  operation("Create", undefined, { resourceBody: { id: "b1", order: "o2", ttl: 5 } }),
  operation("Create", undefined, { resourceBody: { id: "b2", order: "o2", ttl: 0 } }),
  operation("Upsert", undefined, { resourceBody: { id: "b3", order: "o2" } }),
  operation("Read", "b1"),
]);
const code = (one) => one.response?.statusCode ?? one.error?.code;
assert.deepEqual(bulk.map(code), [201, 400, 201, 200]);
const old = await outbox.items.bulk([operation("Read", "b3"), operation("Delete", "none")], { continueOnError: true });
assert.deepEqual(old.map((one) => one.statusCode), [200, 404]);
await advance(5);
assert.deepEqual(await find("SELECT VALUE c.id FROM c", {}, outbox), ["b3"]);

console.log("idempotency keys: free again after a minute");
const keys = await define("keys", ["/id"], 60);
const absent = { accessCondition: { type: "IfNoneMatch", condition: "*" } };
await keys.items.create({ id: "k" }, absent);
await refused(409, () => keys.items.create({ id: "k" }, absent));
await refused(412, () => keys.items.upsert({ id: "k" }, absent));
await advance(60);
const stored = await keys.items.upsert({ id: "k" }, absent);
const unchanged = { accessCondition: { type: "IfMatch", condition: stored.etag } };
await keys.items.upsert({ id: "k", n: 1 }, unchanged);
await refused(412, () => keys.items.upsert({ id: "k", n: 2 }, unchanged));

console.log("a hierarchical key, by its first values, and the delete of a partition");
const tenants = await define("tenants", ["/tenant", "/user", "/device"], 10, { kind: "MultiHash", version: 2 });
for (const [tenant, user, device] of [["x", "ada", 1], ["x", "ada", 2], ["x", "bob", 1], ["y", "ada", 1]]) {
  await tenants.items.create({ id: `${tenant}-${user}-${device}`, tenant, user, device });
}
const named = (partitionKey) => find("SELECT VALUE c.id FROM c ORDER BY c.id", { partitionKey }, tenants);
assert.deepEqual(await named(["x"]), ["x-ada-1", "x-ada-2", "x-bob-1"]);
assert.deepEqual(await named(["x", "ada"]), ["x-ada-1", "x-ada-2"]);
await tenants.deleteAllItemsForPartitionKey(["x", "ada", 1]);
assert.deepEqual(await named(["x"]), ["x-ada-2", "x-bob-1"]);
await advance(10);
assert.deepEqual(await named(["x"]), []);

console.log("what is not offered says so");
for (const query of ["SELECT * FROM c JOIN t IN c.tags", "SELECT c.user FROM c GROUP BY c.user", "SELECT UPPER(c.id) FROM c"]) {
  await refused(501, () => find(query));
}
await refused(400, () => find("SELECT * FROM c WHERE"));

console.log("every call of the applications is answered");
