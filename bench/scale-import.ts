import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeEnvironment, program } from "../testkit/service/server-process.ts";
import type { ScaledPosts } from "./scale-posts.ts";

export type ImportFigures = {
  posts: number;
  seconds: number;
  postsPerSecond: number;
  peakMb: number;
  bytesPerPost: number;
  /** Bytes per post. */
  parts: Record<string, number>;
  segments: number;
};

/** `earshot import` of the posts into a new folder; deletes the file. */
export async function measureImport(
  dataDir: string,
  { records }: ScaledPosts,
  environment: Record<string, string>,
): Promise<ImportFigures> {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, "posts.ndjson");
  const posts = await writeLines(file, records());
  const { seconds, peakMb } = await runImport(file, makeEnvironment(dataDir, environment));
  rmSync(file);
  const archive = join(dataDir, "archive");
  const bytes = computeSize(archive);
  const segments = listFiles(join(archive, "x"), ".db");
  return {
    posts,
    seconds,
    postsPerSecond: posts / seconds,
    peakMb,
    bytesPerPost: bytes / posts,
    parts: perPost(readParts(segments, bytes), posts),
    segments: segments.length,
  };
}

async function writeLines(path: string, records: Iterable<unknown>): Promise<number> {
  const output = createWriteStream(path);
  let count = 0;
  for (const record of records) {
    count += 1;
    if (!output.write(`${JSON.stringify(record)}\n`)) await once(output, "drain");
  }
  output.end();
  await once(output, "finish");
  return count;
}

async function runImport(
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<{ seconds: number; peakMb: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, [program, "import", file, "--platform", "x"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, highestResidentMb(child.pid ?? 0));
  }, 100);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`earshot import ended with ${code}`);
  return { seconds: (performance.now() - start) / 1_000, peakMb };
}

/** 0 if the process has ended. */
function highestResidentMb(pid: number): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, "utf8"))?.[1] ?? 0) / 1_024;
}

/** Bytes per table or index, by the pages that each one owns. */
function readParts(segments: readonly string[], totalBytes: number): Map<string, number> {
  const parts = new Map<string, number>();
  let attributedBytes = 0;
  for (const path of segments) {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name");
    for (const { name, bytes } of rows.iterate()) {
      const part = partName(String(name));
      parts.set(part, (parts.get(part) ?? 0) + Number(bytes));
      attributedBytes += Number(bytes);
    }
    database.close();
  }
  return parts.set("catalog, free pages", totalBytes - attributedBytes);
}

function partName(table: string): string {
  if (table === "post") return "rows";
  if (table === "term_docsize") return "term index: which posts";
  return table.startsWith("term") ? "term index" : table;
}

function perPost(parts: ReadonlyMap<string, number>, posts: number): Record<string, number> {
  const entries = [...parts].map(([part, bytes]) => [part, bytes / posts] as const);
  return Object.fromEntries(entries.filter(([, bytes]) => bytes >= 0.05));
}

function listFiles(folder: string, ending: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

function computeSize(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + computeSize(join(path, name)), 0);
}
