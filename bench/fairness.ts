import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { argv } from "node:process";
import { archiveFolder, writeZipfPosts } from "../testkit/archives/zipf-archive.ts";
import { knownShapes, queryText } from "../testkit/data/expensive-queries.ts";
import { zipfWord } from "../testkit/data/zipf-posts.ts";
import { type Client, connect } from "../testkit/service/http-client.ts";
import {
  makeEnvironment,
  program,
  type ServerProcess,
  startServer,
} from "../testkit/service/server-process.ts";
import { command, summary, table, timed } from "./measure.ts";

/**
 * One account searches alone, and while ten others send the most expensive queries at their full
 * rate: submission to fetched result and, under that load, /readyz, a stored result and a
 * cancellation. Creates the folder of 150,000 unsealed posts if missing.
 */
const rounds = 3;
const samplesPerRound = 200;
const heavyAccounts = 10;
const submissionsPerMinute = 10;
const cancellations = 10;
const posts = 150_000;
const settings = { EARSHOT_SEAL: "off" };

const dataDir = argv[2];
if (dataDir === undefined) {
  console.error(`usage: ${command()} DATA_FOLDER`);
  process.exit(2);
}
if (!existsSync(archiveFolder(dataDir))) writeZipfPosts(dataDir, 0, posts);
const server = await startServer(dataDir, 18_098, settings);
const light = connect(server.base, server.key);
const queries = knownShapes().map(queryText);

/** Creates a key with its own account, which has the default search rate. */
function makeKey(name: string): string {
  const rate = ["--requests-per-second", "1000"];
  const output = execFileSync(
    process.execPath,
    [program, "keys", "create", "--name", name, ...rate],
    { env: makeEnvironment(String(dataDir), settings), encoding: "utf8" },
  );
  return output.trim().split("\n").at(-1) ?? "";
}

const call = async ({ base }: ServerProcess, path: string, key: string, method = "GET") => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status;
};

const searchOne = async (number: number): Promise<void> => {
  await light.result(await light.submit(zipfWord(100 + number), 20));
};

type Samples = { search: number[]; ready: number[]; result: number[] };

async function sample(uuid: string): Promise<Samples> {
  const durations: Samples = { search: [], ready: [], result: [] };
  for (let number = 0; number < samplesPerRound; number++) {
    durations.search.push(await timed(() => searchOne(number)));
    durations.ready.push(await timed(() => call(server, "/readyz", server.key)));
    durations.result.push(await timed(() => light.result(uuid)));
  }
  return durations;
}

type SubmittedJob = { uuid: string; key: string };

/** Submits as many jobs as the rate of each account allows; two per account run concurrently. */
async function submitExpensive(round: number): Promise<SubmittedJob[]> {
  const submittedJobs: SubmittedJob[] = [];
  const clients: Client[] = [];
  for (let account = 0; account < heavyAccounts; account++) {
    const key = makeKey(`heavy-${round}-${account}`);
    const client = connect(server.base, key);
    clients.push(client);
    for (let number = 0; number < submissionsPerMinute; number++) {
      const query = queries[(account + number) % queries.length] ?? "the";
      submittedJobs.push({ uuid: await client.submit(query, 100), key });
    }
  }
  for (const client of clients) client.close();
  return submittedJobs;
}

const isRunning = async ({ uuid, key }: SubmittedJob): Promise<boolean> => {
  const response = await fetch(`${server.base}/v1/search/live/social/status/${uuid}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { status } = (await response.json()) as { status: string };
  return status !== "done" && status !== "error" && status !== "cancelled";
};

/** Cancels all jobs; for the first ones, measures the time until the next search ends. */
async function cancelAll(
  submittedJobs: readonly SubmittedJob[],
): Promise<{ cancelMs: number[]; runningCount: number }> {
  const cancelMs: number[] = [];
  let runningCount = 0;
  for (const job of submittedJobs.toReversed()) {
    if (!(await isRunning(job))) continue;
    runningCount += 1;
    const cancel = () =>
      call(server, `/v1/search/live/social/status/${job.uuid}`, job.key, "DELETE");
    const startMs = performance.now();
    await cancel();
    if (cancelMs.length >= cancellations) continue;
    await searchOne(runningCount);
    cancelMs.push(performance.now() - startMs);
  }
  return { cancelMs, runningCount };
}

const columns = [
  "search idle",
  "search loaded",
  "/readyz loaded",
  "result loaded",
  "cancel + search",
];
const percentiles = new Map(
  columns.map((name) => [name, { p50: [] as number[], p99: [] as number[] }]),
);
const record = (name: string, list: readonly number[]): void => {
  const { p50, p99 } = summary(list);
  percentiles.get(name)?.p50.push(p50);
  percentiles.get(name)?.p99.push(p99);
};

const stillRunning: number[] = [];
try {
  const finished = await light.submit("the", 100);
  await light.result(finished);
  for (let round = 0; round < rounds; round++) {
    record("search idle", (await sample(finished)).search);
    const submittedJobs = await submitExpensive(round);
    const loaded = await sample(finished);
    record("search loaded", loaded.search);
    record("/readyz loaded", loaded.ready);
    record("result loaded", loaded.result);
    const { cancelMs, runningCount } = await cancelAll(submittedJobs);
    record("cancel + search", cancelMs);
    stillRunning.push(runningCount);
  }
} finally {
  light.close();
  await server.stop();
}

const median = (list: readonly number[]): number => summary(list).p50;
console.log(`\n${command()}: medians of ${rounds} rounds, milliseconds\n`);
console.log(
  table(
    ["call", "p50", "p99"],
    columns.map((name) => {
      const { p50 = [], p99 = [] } = percentiles.get(name) ?? {};
      return [name, median(p50), median(p99)];
    }),
  ),
);
console.log(
  `\n${samplesPerRound} calls per round; expensive searches still running after the last call: ` +
    `${stillRunning.join(", ")} of ${heavyAccounts * submissionsPerMinute}`,
);
