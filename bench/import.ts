import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { connect } from "../testkit/service/http-client.ts";
import { residentMb, startServer } from "../testkit/service/server-process.ts";
import { requireData, writeImportFile } from "./ira.ts";
import { command } from "./measure.ts";

/**
 * `earshot import` of the 600,000 real posts: posts per second, bytes per post, peak memory; then again, killed
 * halfway and restarted: the search results must match. Keeps the uninterrupted import, `whole`, for other benchmarks.
 */
requireData();
const folder = argv[2];
if (folder === undefined) {
  console.error(`usage: ${command()} FOLDER (deleted and created again)`);
  process.exit(2);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const file = join(folder, "posts.ndjson");
const posts = await writeImportFile(file);
const wholeDir = join(folder, "whole");
const brokenDir = join(folder, "broken");

const uninterrupted = await importInto(wholeDir, null);
const bytes = computeSize(join(wholeDir, "archive"));
console.log(`${command()}\n`);
console.log(
  `${posts} posts in ${uninterrupted.seconds.toFixed(1)} s: ${(posts / uninterrupted.seconds).toFixed(0)} posts/s`,
);
console.log(
  `${(bytes / posts).toFixed(0)} bytes a post on disk, peak memory ${uninterrupted.peakMb.toFixed(0)} MB`,
);

const interrupted = await importInto(brokenDir, uninterrupted.seconds / 2);
const resumed = await importInto(brokenDir, null);
console.log(
  `killed with -9 after ${interrupted.seconds.toFixed(1)} s, run again: ${resumed.seconds.toFixed(1)} s more`,
);
const queries = [
  "trump",
  "lang:ru новости",
  '"fake news"',
  "from:ten_gop -trump",
  "maga filter:retweets since:2016-10-03 until:2016-10-10",
];
const [a, b] = [await searchResults(wholeDir, 18_050), await searchResults(brokenDir, 18_051)];
const isEqual = a.every((result, index) => result === b[index]);
console.log(
  `${queries.length} queries of 500 posts each: ${isEqual ? "same results" : "DIFFERENT RESULTS"}`,
);
rmSync(brokenDir, { recursive: true });
process.exit(isEqual ? 0 : 1);

async function importInto(
  dataDir: string,
  killAfterSeconds: number | null,
): Promise<{ seconds: number; peakMb: number }> {
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "../bin/earshot.mjs"), "import", file, "--platform", "x"],
    { env: { ...process.env, EARSHOT_DATA_DIR: dataDir }, stdio: "ignore" },
  );
  let peakMb = 0;
  const watch = setInterval(() => {
    try {
      peakMb = Math.max(peakMb, residentMb(child.pid ?? 0));
    } catch {
      clearInterval(watch);
    }
  }, 50);
  if (killAfterSeconds !== null) setTimeout(() => child.kill("SIGKILL"), killAfterSeconds * 1_000);
  await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  return { seconds: (performance.now() - start) / 1_000, peakMb };
}

async function searchResults(dataDir: string, port: number): Promise<string[]> {
  const server = await startServer(dataDir, port);
  const client = connect(server.base, server.key);
  const texts: string[] = [];
  for (const query of queries) texts.push(await client.result(await client.submit(query, 500)));
  client.close();
  await server.stop();
  return texts;
}

function computeSize(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + computeSize(join(path, name)), 0);
}
