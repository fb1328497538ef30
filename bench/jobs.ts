import { argv } from "node:process";
import { parseArgs } from "node:util";
import { openControl } from "../src/server/control/control.ts";
import { connect } from "../testkit/service/http-client.ts";
import { residentMb, type ServerProcess, startServer } from "../testkit/service/server-process.ts";
import { command, summary, table } from "./measure.ts";

/**
 * Jobs per second from submission to fetched result, one key per client, and the longest block of the event loop; then
 * kill -9 and restart: every accepted job must finish. --jobs measures memory instead. Needs the folder of
 * bench/import.ts.
 */
const { positionals, values } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: { jobs: { type: "string" }, seconds: { type: "string", default: "8" } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(`usage: ${command()} DATA_FOLDER [--seconds 8] [--jobs 200000]`);
  process.exit(2);
}
const dataDir = folder;
const queries = ["trump", "news -fake", "lang:ru", '"the people"', "from:ten_gop"];
const settings = { EARSHOT_MAX_WAITING_REQUESTS: "1000" };
const keys = await newKeys(64);
console.log(`${command()}: five different searches, newest 20\n`);
if (values.jobs === undefined) {
  await measureRates(Number(values.seconds));
  await measureKill();
} else {
  await measureMemory(Number(values.jobs));
}

async function newKeys(count: number): Promise<string[]> {
  const control = await openControl({ dataDir });
  const keys = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      control.run("createKey", {
        name: `bench ${n}`,
        accountName: null,
        requestsPerSecond: 1_000_000,
        submissionsPerMinute: 100_000_000,
        nowMs: Date.now(),
      }),
    ),
  );
  await control.close();
  return keys.map(({ token }) => token);
}

async function measureRates(seconds: number): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const clients of [1, 8, 16, 64]) {
    const server = await startServer(dataDir, 18_070 + clients, settings);
    await load(server, clients, until(4), () => undefined);
    await loopBlockedMs(server);
    const durations: number[] = [];
    await load(server, clients, until(seconds), (ms) => durations.push(ms));
    const { p50, p99 } = summary(durations);
    const rate = (durations.length / seconds).toFixed(0);
    rows.push([String(clients), rate, p50, p99, await loopBlockedMs(server)]);
    await server.stop();
  }
  console.log(table(["clients", "jobs/s", "p50 ms", "p99 ms", "loop blocked at most, ms"], rows));
}

async function measureMemory(jobs: number): Promise<void> {
  const server = await startServer(dataDir, 18_070, settings);
  const rows: string[][] = [];
  let done = 0;
  const start = performance.now();
  await load(
    server,
    8,
    () => done < jobs,
    () => {
      done += 1;
      if (done % (jobs / 10) !== 0) return;
      const perSecond = (done / (performance.now() - start)) * 1_000;
      rows.push([String(done), perSecond.toFixed(0), residentMb(server.pid).toFixed(0)]);
    },
  );
  await server.stop();
  console.log(table(["jobs", "jobs/s so far", "RSS MB"], rows));
}

function until(seconds: number): () => boolean {
  const endMs = performance.now() + seconds * 1_000;
  return () => performance.now() < endMs;
}

async function load(
  { base }: ServerProcess,
  clients: number,
  isRunning: () => boolean,
  done: (ms: number) => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const client = connect(base, keys[index] ?? "");
      for (let turn = index; isRunning(); turn++) {
        const start = performance.now();
        await client.result(await client.submit(queries[turn % queries.length] ?? "", 20));
        done(performance.now() - start);
      }
      client.close();
    }),
  );
}

async function loopBlockedMs({ base }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1] ?? Number.NaN) * 1_000;
}

async function measureKill(): Promise<void> {
  const first = await startServer(dataDir, 18_060, settings);
  const acceptedJobs: { key: string; uuid: string }[] = [];
  const submissions = keys.slice(0, 16).map(async (key, index) => {
    const client = connect(first.base, key);
    try {
      for (let turn = index; ; turn++) {
        const uuid = await client.submit(queries[turn % queries.length] ?? "", 20);
        acceptedJobs.push({ key, uuid });
      }
    } catch {
      client.close();
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  first.child.kill("SIGKILL");
  await Promise.all(submissions);
  const second = await startServer(dataDir, 18_061, settings);
  let finished = 0;
  for (const { key, uuid } of acceptedJobs) {
    const client = connect(second.base, key);
    if (Array.isArray(JSON.parse(await client.result(uuid)))) finished += 1;
    client.close();
  }
  console.log(
    `\nkill -9 after 2 s of submitting at 16 clients: ${acceptedJobs.length} accepted, ${finished} finished after the restart`,
  );
  await second.stop();
}
