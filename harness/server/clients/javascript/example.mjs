// Time to live with @azure/cosmos, against cosmos-ttl-server with a virtual clock:
//
//   cargo run -p cosmos-ttl-server -- --clock virtual
//   npm ci && node example.mjs http://127.0.0.1:8081
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

async function refused(status, action) {
  await assert.rejects(action, (error) => {
    console.log(`  refused with ${error.code}: ${error.message}`);
    return error.code === status;
  });
}

await control("reset");
const { database } = await client.databases.create({ id: "shop" });
const partitionKey = { paths: ["/customer"] };
const define = (id, ttl) => database.containers.create({ id, partitionKey, ...ttl });

console.log("containers with every kind of defaultTtl");
const { container: off } = await define("off", {});
const { container: on } = await define("on", { defaultTtl: -1 });
const { container: carts } = await define("carts", { defaultTtl: 10 });
await define("null", { defaultTtl: null });
await define("longest", { defaultTtl: 2147483647 });
// 10.0 is the number 10 in JavaScript.
const wrong = [0, -2, 2147483648, "10", 10.5, true, {}];
for (const defaultTtl of wrong) {
  await refused(400, () => define("wrong", { defaultTtl }));
}

console.log("items with every kind of ttl");
const customer = "ada";
const ids = async (container) => (await container.items.query("SELECT * FROM c").fetchAll()).resources.map((item) => item.id).sort();
for (const container of [off, on, carts]) {
  await container.items.create({ id: "absent", customer });
  await container.items.create({ id: "never", customer, ttl: -1 });
  await container.items.create({ id: "five", customer, ttl: 5 });
  await container.items.create({ id: "longest", customer, ttl: 2147483647 });
  await container.item("longest", customer).delete();
  for (const ttl of [null, ...wrong]) {
    await refused(400, () => container.items.create({ id: "wrong", customer, ttl }));
  }
}

console.log("five seconds later only items with a ttl of five are gone, where time to live is on");
await advance(5);
assert.deepEqual(await ids(off), ["absent", "five", "never"]);
assert.deepEqual(await ids(on), ["absent", "never"]);
assert.deepEqual(await ids(carts), ["absent", "never"]);
assert.equal((await carts.item("five", customer).read()).statusCode, 404);
await refused(404, () => carts.item("five", customer).delete());

console.log("a patch counts as a write, a read does not");
await carts.item("absent", customer).patch([{ op: "set", path: "/ttl", value: 20 }]);
await advance(19);
await carts.item("absent", customer).read();
assert.deepEqual(await ids(carts), ["absent", "never"]);
await advance(1);
assert.deepEqual(await ids(carts), ["never"]);

console.log("a batch has all of its effects or none, and the id of an expired item is free");
const write = (id, ttl) => ({ operationType: "Create", resourceBody: { id, customer, ttl } });
const statuses = async (operations) => (await carts.items.batch(operations, customer)).result.map((one) => one.statusCode);
assert.deepEqual(await statuses([write("five", 5), write("wrong", 0)]), [424, 400]);
assert.deepEqual(await statuses([write("five", 5), write("six", 6)]), [201, 201]);

console.log("pages and counts");
for (let number = 0; number < 7; number++) {
  await carts.items.upsert({ id: `page-${number}`, customer: `customer-${number % 3}` });
}
const pages = carts.items.query("SELECT c.id FROM c", { maxItemCount: 4 });
const sizes = [];
while (pages.hasMoreResults()) {
  sizes.push(((await pages.fetchNext()).resources ?? []).length);
}
assert.equal(sizes.reduce((sum, size) => sum + size), 10);
assert.ok(sizes.every((size) => size <= 4));
const count = async () => (await carts.items.query("SELECT VALUE COUNT(1) FROM c").fetchAll()).resources[0];
assert.equal(await count(), 10);
const ofOne = { query: "SELECT * FROM c WHERE c.customer = @customer", parameters: [{ name: "@customer", value: "customer-0" }] };
assert.equal((await carts.items.query(ofOne).fetchAll()).resources.length, 3);

console.log("off, on and over under living items");
await control("removal?schedule=by-hand");
await advance(6);
assert.equal(await count(), 8);
await carts.replace({ id: "carts", partitionKey });
assert.equal(await count(), 10); // Items that had expired and were still stored reappear.
await carts.replace({ id: "carts", partitionKey, defaultTtl: 4 });
assert.equal(await count(), 1);
await control("remove-expired");
await carts.replace({ id: "carts", partitionKey, defaultTtl: 100 });
assert.deepEqual(await ids(carts), ["never"]); // What was removed never comes back.

console.log("as the clauses say");
