import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Client, connect } from "../testkit/service/http-client.ts";
import { startServer } from "../testkit/service/server-process.ts";
import { command, summary, table } from "./measure.ts";
import { connectOpenSearch, foundIds, indexPosts } from "./opensearch.ts";
import { drawQueries } from "./queries.ts";

/**
 * Jobs from submission to fetched page, and searches in one request, with EARSHOT_FAST_PATH on and off, against a floor
 * (fast-path-floor.ts) and, with --opensearch, a local OpenSearch with the same posts. 480 queries of six kinds,
 * interleaved; medians of five rounds. Needs the folder of bench/import.ts.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { opensearch: { type: "string" }, seconds: { type: "string", default: "1" } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    `usage: ${command()} FOLDER [--seconds SECONDS_PER_ROUND] [--opensearch http://127.0.0.1:9200]`,
  );
  process.exit(2);
}
const rounds = 5;
const roundMs = Number(values.seconds) * 1_000;
const warmUpMs = 4 * roundMs;
// OpenSearch evaluates these queries from terms alone.
const kinds = (await drawQueries(80)).filter(({ name }) => !/from:|week/.test(name));
const queries = (kinds[0]?.queries ?? []).flatMap((_, n) =>
  kinds.map((kind) => kind.queries[n] ?? ""),
);
const copies = mkdtempSync(join(tmpdir(), "earshot-bench-"));

type Shape = { clients: number; posts: number; isOneCall: boolean };
type System = { name: string; pid: number; clients: Client[]; stop(): Promise<void> };
type Round = { perSecond: number; p50: number; p99: number; cpuMs: number; switches: number };

const shapes: readonly Shape[] = [
  { clients: 1, posts: 100, isOneCall: false },
  { clients: 8, posts: 100, isOneCall: false },
  { clients: 8, posts: 20, isOneCall: false },
  { clients: 8, posts: 20, isOneCall: true },
];

const systems: System[] = [];
for (const [index, name] of ["on", "off"].entries()) {
  const dataDir = join(copies, name);
  cpSync(join(folder, "whole"), dataDir, { recursive: true });
  const server = await startServer(dataDir, 18_120 + index, { EARSHOT_FAST_PATH: name });
  const clients = Array.from({ length: 8 }, () => connect(server.base, server.key));
  process.once("exit", () => server.child.kill());
  systems.push({ name: `fast path ${name}`, pid: server.pid, clients, stop: server.stop });
}
const [firstSystem] = systems;
const floor = await startFloor(18_129);
const otherSystems =
  values.opensearch === undefined ? [] : [await openSearchSystem(values.opensearch)];
if (firstSystem !== undefined)
  for (const other of otherSystems) await requireSamePosts(firstSystem, other);

const rows: string[][] = [];
for (const shape of shapes) {
  if (firstSystem !== undefined) await floor.setPage(await getPage(firstSystem, shape));
  const allSystems = [floor, ...systems, ...otherSystems];
  for (const system of allSystems) await run(system, shape, warmUpMs);
  const measuredRounds = new Map<System, Round[]>(allSystems.map((system) => [system, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const system of allSystems)
      measuredRounds.get(system)?.push(await run(system, shape, roundMs));
  }
  const median = (system: System, valueIn: (round: Round) => number): number =>
    summary((measuredRounds.get(system) ?? []).map(valueIn)).p50;
  const floorPerSecond = median(floor, ({ perSecond }) => perSecond);
  for (const system of allSystems) {
    const perSecond = median(system, (round) => round.perSecond);
    const { clients, posts, isOneCall } = shape;
    rows.push([
      `${isOneCall ? "one call" : "submit, fetch"}, ${clients} clients, ${posts} posts`,
      system.name,
      perSecond.toFixed(0),
      (perSecond / floorPerSecond).toFixed(2),
      median(system, ({ p50 }) => p50).toFixed(2),
      median(system, ({ p99 }) => p99).toFixed(1),
      median(system, ({ cpuMs }) => cpuMs).toFixed(2),
      median(system, ({ switches }) => switches).toFixed(1),
    ]);
  }
}
console.log(`${command()}\n`);
const header = ["", "system", "jobs/s", "of floor", "p50 ms", "p99 ms", "CPU ms a job"];
console.log(table([...header, "thread switches a job"], rows));
for (const { clients, stop } of [floor, ...systems, ...otherSystems]) {
  for (const client of clients) client.close();
  await stop();
}
rmSync(copies, { recursive: true });

async function getPage({ clients: [client] }: System, { posts }: Shape): Promise<string> {
  if (client === undefined) return "[]";
  return await client.result(await client.submit(queries[0] ?? "", posts));
}

async function openSearchSystem(base: string): Promise<System> {
  await indexPosts(base, join(folder ?? "", "posts.ndjson"));
  const nodes = (await (await fetch(`${base}/_nodes/process`)).json()) as {
    nodes: Record<string, { process: { id: number } }>;
  };
  return {
    name: "OpenSearch",
    pid: Object.values(nodes.nodes)[0]?.process.id ?? 0,
    clients: Array.from({ length: 8 }, () => connectOpenSearch(base)),
    stop: async () => undefined,
  };
}

async function requireSamePosts({ clients: [ours] }: System, { clients: [theirs] }: System) {
  for (const query of queries) {
    const result = await ours?.result(await ours.submit(query, 100));
    const ids = (JSON.parse(result ?? "") as { ID: string }[]).map(({ ID }) => ID);
    const otherIds = foundIds((await theirs?.search(query, 100)) ?? "");
    if (ids.join() !== otherIds.join()) throw new Error(`different posts for ${query}`);
  }
}

async function startFloor(
  port: number,
): Promise<System & { setPage(page: string): Promise<void> }> {
  const program = join(import.meta.dirname, "fast-path-floor.ts");
  const child: ChildProcess = spawn(process.execPath, [program, copies, String(port)]);
  process.once("exit", () => child.kill());
  const base = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(base).then(
      () => true,
      () => false,
    ))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    name: "floor",
    pid: child.pid ?? 0,
    clients: Array.from({ length: 8 }, () => connect(base, "none")),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
    },
    setPage: async (page) => {
      await fetch(base, { method: "PUT", body: page });
    },
  };
}

async function run(
  system: System,
  { clients, posts, isOneCall }: Shape,
  ms: number,
): Promise<Round> {
  const durations: number[] = [];
  const before = { cpuMs: cpuMs(system.pid), switches: readSwitches(system.pid) };
  const start = performance.now();
  await Promise.all(
    system.clients.slice(0, clients).map(async (client, index) => {
      for (let turn = index; performance.now() < start + ms; turn += clients) {
        const jobStart = performance.now();
        const query = queries[turn % queries.length] ?? "";
        if (!isOneCall) await client.result(await client.submit(query, posts));
        else if (system.name === "floor") await client.submit(query, posts);
        else await client.search(query, posts);
        durations.push(performance.now() - jobStart);
      }
    }),
  );
  const jobs = durations.length;
  const { p50, p99 } = summary(durations);
  return {
    perSecond: (jobs / (performance.now() - start)) * 1_000,
    p50,
    p99,
    cpuMs: (cpuMs(system.pid) - before.cpuMs) / jobs,
    switches: (readSwitches(system.pid) - before.switches) / jobs,
  };
}

/** CPU time of all threads, at a resolution of 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Voluntary context switches of all threads. */
function readSwitches(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, "utf8");
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }, 0);
}
