import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv } from "node:process";
import { type Client, connect } from "../test/support/http-client.ts";
import { type ServerProcess, startServer } from "../test/support/server-process.ts";
import { command, summary, table } from "./measure.ts";

/**
 * Jobs from submission to the fetched page of 100, with EARSHOT_FAST_PATH on and off: two servers on copies of a data folder
 * take turns, so that a machine with other work treats both alike. Reports the best of the rounds, because other work only
 * adds. Wants a data folder (bench/import.ts leaves one).
 */
const [, , folder] = argv;
if (folder === undefined) {
  console.error(`usage: ${command()} DATA_FOLDER`);
  process.exit(2);
}
const rounds = 5;
const jobsOfRound = 800;
const queries = ["trump", "news -fake", "people", "love", "police -shot", "obama", '"the people"'];
const copies = mkdtempSync(join(tmpdir(), "earshot-bench-"));

type Side = { name: string; server: ServerProcess; clients: Client[] };
type Round = { perSecond: number; p50: number; cpuMs: number; switches: number };

const sides: Side[] = [];
for (const [index, name] of ["on", "off"].entries()) {
  const dataDir = join(copies, name);
  cpSync(folder, dataDir, { recursive: true });
  const server = await startServer(dataDir, 18_120 + index, { EARSHOT_FAST_PATH: name });
  const clients = Array.from({ length: 8 }, () => connect(server.base, server.key));
  sides.push({ name, server, clients });
}
const rows: (string | number)[][] = [];
for (const clients of [1, 8]) {
  for (const side of sides) await run(side, clients);
  const measured = new Map<Side, Round[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) measured.get(side)?.push(await run(side, clients));
  }
  for (const [{ name }, all] of measured) {
    const least = (of: (round: Round) => number) => Math.min(...all.map(of));
    const perSecond = Math.max(...all.map((round) => round.perSecond)).toFixed(0);
    const figures = [least(({ p50 }) => p50), least(({ cpuMs }) => cpuMs)];
    const switches = least((round) => round.switches).toFixed(1);
    rows.push([name, String(clients), perSecond, ...figures.map((ms) => ms.toFixed(2)), switches]);
  }
}
console.log(
  table(
    ["fast path", "clients", "jobs/s", "p50 ms", "CPU ms a job", "thread switches a job"],
    rows,
  ),
);
for (const { server, clients } of sides) {
  for (const client of clients) client.close();
  await server.stop();
}
rmSync(copies, { recursive: true });

async function run({ server, clients }: Side, count: number): Promise<Round> {
  const durations: number[] = [];
  const before = { cpuMs: cpuMs(server.pid), switches: switchesOf(server.pid) };
  const start = performance.now();
  await Promise.all(
    clients.slice(0, count).map(async (client, index) => {
      for (let turn = index; turn < jobsOfRound; turn += count) {
        const begun = performance.now();
        await client.result(await client.submit(queries[turn % queries.length] ?? "", 100));
        durations.push(performance.now() - begun);
      }
    }),
  );
  return {
    perSecond: (jobsOfRound / (performance.now() - start)) * 1_000,
    p50: Number(summary(durations).p50),
    cpuMs: (cpuMs(server.pid) - before.cpuMs) / jobsOfRound,
    switches: (switchesOf(server.pid) - before.switches) / jobsOfRound,
  };
}

/** Processor time of all threads, in steps of 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** How often its threads went to sleep. */
function switchesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, "utf8");
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }, 0);
}
