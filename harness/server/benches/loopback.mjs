// Measures this server and @vercel/cosmosdb-server in turn, on loopback: requests per second and the 99th percentile.
//
//   cargo build --release -p cosmos-ttl-server
//   cd harness/server/benches && npm ci --ignore-scripts && node loopback.mjs [SECONDS]
//
// SECONDS is how long one measurement lasts, 5 by default. Each is made three times, in turn, and the median counts.
import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { CosmosClient } from "@azure/cosmos";

const ROUNDS = 3;
const CONNECTIONS = 8;
const duration_s = Number(process.argv[2] ?? 5);
// The key of every emulator, which is public.
const key = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const partitionKey = { paths: ["/customer"] };
const customer = "ada";

const SERVERS = [
  { name: "cosmos-ttl-server", command: ["../../../target/release/cosmos-ttl-server", "--listen", "127.0.0.1:0"] },
  {
    name: "@vercel/cosmosdb-server",
    // It stops listening, and ends, when this process ends it.
    command: [
      process.execPath,
      "--input-type=commonjs",
      "-e",
      `const server = require("@vercel/cosmosdb-server").createHttpServer();
       server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));`,
    ],
  },
];

/** Starts a server, and creates a container with one item. */
async function start({ name, command: [program, ...rest] }) {
  const child = spawn(program, rest, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] });
  const endpoint = await new Promise((ready, failed) => {
    child.on("error", failed);
    child.on("exit", (code) => failed(new Error(`${name} ended with ${code}`)));
    createInterface(child.stdout).once("line", ready);
  });
  const client = new CosmosClient({ endpoint, key, connectionPolicy: { enableEndpointDiscovery: false } });
  const { database } = await client.databases.create({ id: "shop" });
  const { container } = await database.containers.create({ id: "carts", partitionKey, defaultTtl: 3600 });
  await container.items.create({ id: "cart", customer });
  return { name, child, endpoint, container };
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Repeats a call, from as many places as there are connections. */
async function repeated(call) {
  const took_ms = [];
  const end = performance.now() + duration_s * 1000;
  const place = async () => {
    for (let begin = performance.now(); begin < end; begin = performance.now()) {
      await call();
      took_ms.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, place));
  took_ms.sort((one, other) => one - other);
  return { perSecond: took_ms.length / duration_s, p99_ms: percentile(took_ms, 0.99) };
}

/** Repeats one signed request, without a client's own work. A signature holds for 15 minutes. */
async function withPlainHttp({ endpoint }, method, link, more, body) {
  const date = new Date().toUTCString();
  const text = `${method.toLowerCase()}\ndocs\n${link}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = {
    authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
    "x-ms-date": date,
    "x-ms-version": "2020-07-15",
    "x-ms-documentdb-partitionkey": JSON.stringify([customer]),
    ...more,
  };
  const url = `${endpoint}/${link}${method === "POST" ? "/docs" : ""}`;
  const call = () =>
    new Promise((done, failed) => {
      const asked = request(url, { method, agent, headers }, (answer) => {
        answer.resume();
        answer.on("end", () => (answer.statusCode < 300 ? done() : failed(new Error(`status ${answer.statusCode}`))));
      });
      asked.on("error", failed);
      asked.end(body);
    });
  const measured = await repeated(call);
  agent.destroy();
  return measured;
}

const MEASURED = {
  "@azure/cosmos, point read": ({ container }) => repeated(() => container.item("cart", customer).read()),
  "@azure/cosmos, upsert": ({ container }) => repeated(() => container.items.upsert({ id: "cart", customer })),
  "plain HTTP, point read": (server) => withPlainHttp(server, "GET", "dbs/shop/colls/carts/docs/cart", {}),
  "plain HTTP, upsert": (server) =>
    withPlainHttp(
      server,
      "POST",
      "dbs/shop/colls/carts",
      { "x-ms-documentdb-is-upsert": "true", "content-type": "application/json" },
      JSON.stringify({ id: "cart", customer }),
    ),
};

const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

const servers = await Promise.all(SERVERS.map(start));
try {
  console.log(`| client and request | ${servers.map(({ name }) => `${name}: requests per second, p99`).join(" | ")} | ratios |`);
  console.log("|---|---|---|---|");
  for (const [name, measure] of Object.entries(MEASURED)) {
    const seen = servers.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, server] of servers.entries()) {
        seen[index].push(await measure(server));
      }
    }
    const perSecond = seen.map((rounds) => median(rounds.map((round) => round.perSecond)));
    const p99_ms = seen.map((rounds) => median(rounds.map((round) => round.p99_ms)));
    const cells = servers.map((_, index) => `${perSecond[index].toFixed(0)}, ${p99_ms[index].toFixed(1)} ms`);
    const ratios = `${(perSecond[0] / perSecond[1]).toPrecision(2)}, ${(p99_ms[0] / p99_ms[1]).toPrecision(2)}`;
    console.log(`| ${name} | ${cells.join(" | ")} | ${ratios} |`);
  }
} finally {
  for (const { child } of servers) {
    child.removeAllListeners("exit");
    child.kill();
  }
}
process.exit();
