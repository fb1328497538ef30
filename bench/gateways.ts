import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { parseArgs } from "node:util";
import type { Post } from "../src/posts/post.ts";
import { configFrom } from "../src/server/config.ts";
import { openControl } from "../src/server/control/control.ts";
import { makePost } from "../testkit/data/make-post.ts";
import { fillArchive } from "../testkit/nodes/fill.ts";
import { countRoundTrips } from "../testkit/postgres/counted-round-trips.ts";
import { startPostgres } from "../testkit/postgres/server.ts";
import { freePort } from "../testkit/service/free-port.ts";
import { connect } from "../testkit/service/http-client.ts";
import { type ServerProcess, startServer } from "../testkit/service/server-process.ts";
import { command, summary, table } from "./measure.ts";

/**
 * Jobs per second from submission to fetched result, with the control store in a file, in
 * PostgreSQL with one gateway, and with two, interleaved. One key and account per client. Each
 * search finds all posts of the archives, by default none.
 */
const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    clients: { type: "string", default: "1,8,32" },
    posts: { type: "string", default: "0" },
  },
});
const seconds = Number(values.seconds);
const postCount = Number(values.posts);
const clientCounts = values.clients.split(",").map(Number);
const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const database = await startPostgres(["max_connections=100"]);
const userHz = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

type StoreSetup = { name: string; gateways: number; settings: Record<string, string> };
type Round = { rate: number; p50: number; p99: number };

const sharedSettings = {
  EARSHOT_MAX_WAITING_REQUESTS: "1000",
  EARSHOT_DETECT_LANGUAGE: "off",
  EARSHOT_READERS: "1",
};
const databaseSettings = async () => ({
  ...sharedSettings,
  EARSHOT_DATABASE_URL: await database.createDatabase(),
  EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
});
const setups: StoreSetup[] = [
  { name: "SQLite", gateways: 1, settings: sharedSettings },
  { name: "PostgreSQL, one gateway", gateways: 1, settings: await databaseSettings() },
  { name: "PostgreSQL, two gateways", gateways: 2, settings: await databaseSettings() },
];

const rounds = new Map<string, Round[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const setup of setups) await measure(setup);
}
const roundTripsPerJob = await measureRoundTrips();
await database.remove();
rmSync(folder, { recursive: true, force: true });
report();

/** Posts that contain the words of every query. */
function posts(): Post[] {
  const numbers = Array.from({ length: 100 }, (_, n) => n).join(" ");
  return Array.from({ length: postCount }, (_, n) =>
    makePost({ key: String(n), text: `comet ${numbers}`, createdMs: Date.now() - n * 1_000 }),
  );
}

async function newKeys({ settings }: StoreSetup, dataDir: string): Promise<string[]> {
  const url = settings.EARSHOT_DATABASE_URL;
  const databaseOptions =
    url === undefined ? null : { url, connections: 2, timeoutMs: 10_000, gateway: "" };
  const control = await openControl({ dataDir, database: databaseOptions });
  const tokens: string[] = [];
  for (let n = 0; n < Math.max(...clientCounts); n += 1) {
    const { token } = await control.run("createKey", {
      ...{ name: `bench ${n}`, accountName: `client ${n}`, nowMs: Date.now() },
      ...{ requestsPerSecond: 1_000_000, submissionsPerMinute: 100_000_000 },
    });
    tokens.push(token);
  }
  await control.close();
  return tokens;
}

async function measure(setup: StoreSetup): Promise<void> {
  const folders = Array.from({ length: setup.gateways }, (_, n) =>
    join(folder, `${setup.name} ${n}`),
  );
  const gateways: ServerProcess[] = [];
  for (const dataDir of folders) {
    if (!existsSync(dataDir))
      await fillArchive(configFrom({ EARSHOT_DATA_DIR: dataDir }).data, posts());
    gateways.push(await startServer(dataDir, await freePort(), setup.settings));
  }
  const keys = await newKeys(setup, folders[0] ?? "");
  for (const clients of clientCounts) {
    await generateLoad(gateways, keys, clients, 1_500);
    const before = cpuSeconds(gateways);
    const durations = await generateLoad(gateways, keys, clients, seconds * 1_000);
    const cpuMsPerJob = ((cpuSeconds(gateways) - before) / durations.length) * 1_000;
    const { p50, p99 } = summary(durations);
    const rate = durations.length / seconds;
    console.error(
      `${setup.name}, ${clients}: ${rate.toFixed(0)}/s, ${cpuMsPerJob.toFixed(2)} ms of gateway CPU per job`,
    );
    const name = `${setup.name} | ${clients}`;
    rounds.set(name, [...(rounds.get(name) ?? []), { rate, p50, p99 }]);
  }
  for (const gateway of gateways) await gateway.stop();
}

async function measureRoundTrips(): Promise<number> {
  const settings = await databaseSettings();
  const roundTripCounter = countRoundTrips(settings.EARSHOT_DATABASE_URL);
  const countedSettings = { ...settings, EARSHOT_DATABASE_URL: roundTripCounter.url };
  const dataDir = join(folder, "round trips");
  const gateway = await startServer(dataDir, await freePort(), countedSettings);
  const client = connect(gateway.base, gateway.key);
  const before = roundTripCounter.roundTrips();
  const jobs = 500;
  for (let turn = 0; turn < jobs; turn += 1) {
    await client.result(await client.submit(`comet ${turn}`, 20));
  }
  const perJob = (roundTripCounter.roundTrips() - before) / jobs;
  client.close();
  await gateway.stop();
  roundTripCounter.close();
  return perJob;
}

async function generateLoad(
  gateways: readonly ServerProcess[],
  keys: readonly string[],
  clients: number,
  ms: number,
): Promise<number[]> {
  const endMs = performance.now() + ms;
  const durations: number[] = [];
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const client = connect(gateways[index % gateways.length]?.base ?? "", keys[index] ?? "");
      for (let turn = 0; performance.now() < endMs; turn += 1) {
        const start = performance.now();
        await client.result(await client.submit(`comet ${index} ${turn % 100}`, 20));
        durations.push(performance.now() - start);
      }
      client.close();
    }),
  );
  return durations;
}

function cpuSeconds(gateways: readonly ServerProcess[]): number {
  return gateways.reduce((sum, { pid }) => {
    const fields = execFileSync("cat", [`/proc/${pid}/stat`], { encoding: "utf8" }).split(") ")[1];
    const [user, system] = (fields ?? "").split(" ").slice(11, 13).map(Number);
    return sum + ((user ?? 0) + (system ?? 0)) / userHz;
  }, 0);
}

function report(): void {
  const median = (numbers: readonly number[]) => summary(numbers).p50;
  const rows = [...rounds].map(([name, results]) => {
    const [, clients] = name.split(" | ");
    const sqliteRate = median((rounds.get(`SQLite | ${clients}`) ?? []).map(({ rate }) => rate));
    const rate = median(results.map((result) => result.rate));
    const p50 = median(results.map((result) => result.p50));
    const p99 = median(results.map((result) => result.p99));
    return [...name.split(" | "), rate.toFixed(0), (rate / sqliteRate).toFixed(2), p50, p99];
  });
  console.log(`${command()}: medians of ${values.rounds} interleaved rounds\n`);
  console.log(`round trips per job, one client: ${roundTripsPerJob.toFixed(1)}\n`);
  console.log(table(["store", "clients", "jobs/s", "vs. SQLite", "p50 ms", "p99 ms"], rows));
}
