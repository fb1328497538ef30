import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterAll, describe, expect, test } from "vitest";
import { openCatalog } from "../../src/archive/catalog/open-catalog.ts";
import { createReader } from "../../src/archive/threads/reader.ts";
import { changeCatalog } from "../../testkit/archives/change-catalog.ts";
import { findingsIn } from "../../testkit/archives/findings-in.ts";

const root = mkdtempSync(join(tmpdir(), "earshot-slow-compaction-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const child = join(import.meta.dirname, "../../testkit/archives/compaction-writer.ts");

/** All folders assign the same IDs. */
function newFolder(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  const catalog = openCatalog(folder);
  changeCatalog(catalog, "UPDATE setting SET value = 'the same for all' WHERE name = 'uri_key'");
  catalog.close();
  return folder;
}

async function runAlone(folder: string): Promise<void> {
  const running = spawn(process.execPath, [child, folder, "0", "alone"], {
    stdio: ["inherit", "ignore", "inherit"],
  });
  expect(await once(running, "exit")).toEqual([0, null]);
}

interface Kill {
  readonly afterBatches: number;
  readonly delayMs: number;
}

/** Returns the exit code, or null if the process was killed. */
async function run(folder: string, maxAgeMs: number, kill: Kill | null): Promise<number | null> {
  const running = spawn(process.execPath, [child, folder, String(maxAgeMs)], {
    stdio: ["inherit", "pipe", "inherit"],
  });
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  running.stdout.on("data", (batches: Buffer) => {
    written += batches.length;
    if (kill === null || timer !== undefined || written < kill.afterBatches) return;
    timer = setTimeout(() => running.kill("SIGKILL"), kill.delayMs);
  });
  const [code] = (await once(running, "exit")) as [number | null];
  clearTimeout(timer);
  return code;
}

/** Restarts the writer until it completes; returns the number of kills. */
async function runKilled(folder: string, maxAgeMs: number): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const kill = { afterBatches: 5 + ((kills * 7) % 23), delayMs: (kills * 5) % 19 };
    const code = await run(folder, maxAgeMs, kill);
    if (code === 0) return kills;
    expect(code).toBeNull();
  }
}

const queries = [
  "river",
  '"stone river"',
  "東京 -snow",
  "from:author7.example.com",
  "edited OR night",
  "min_faves:10",
  "harbour since:2026-01-02 until:2026-01-03",
];

function listContents(folder: string) {
  const reader = createReader(folder, 2_000, { now: () => 0, elapsed: () => 0 });
  const { operations } = reader;
  const request = (query: string) => {
    const { tree } = parseQuery(query);
    const names = operations.resolve(namesIn(tree));
    return operations.search({
      plan: makePlan(tree, { names, asOfMs: 0 }),
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after: null,
      limit: 10_000,
      deadlineMs: Number.POSITIVE_INFINITY,
    }).positions;
  };
  const all = request("-xyzzy");
  const { records } = operations.records(all);
  const contents = {
    records,
    found: queries.map((query) => request(query)),
    ingestOrder: operations.records(operations.ingestOrder({ after: null, limit: 100_000 }))
      .records,
    segments: operations.stats({ maxBytes: 0 }).segments,
    coverage: operations.coverage().flatMap(({ intervals }) => intervals),
  };
  reader.close();
  return contents;
}

describe("a process that writes, rolls over, splits, rewrites, seals, merges and unlinks, killed at random", () => {
  test("compaction that is killed at random produces the archive of an undisturbed one", async () => {
    const undisturbed = newFolder("undisturbed");
    await runAlone(undisturbed);
    const killed = newFolder("killed");
    expect(await runKilled(killed, 0)).toBeGreaterThan(3);

    const [expected, found] = [listContents(undisturbed), listContents(killed)];
    expect(found.segments.length).toBeGreaterThan(3);
    const files = Math.max(...found.segments.map(({ sequence }) => sequence));
    expect(files - found.segments.length).toBeGreaterThan(10);
    expect(found.segments.filter(({ sealed }) => sealed !== null).length).toBeGreaterThan(3);
    expect(found.records).toEqual(expected.records);
    const uris = found.records.map(
      (text) => (JSON.parse(text) as { Metadata: { uri: string } }).Metadata.uri,
    );
    expect(new Set(uris).size).toBe(uris.length);
    expect(found.found).toEqual(expected.found);
    expect(new Set(found.ingestOrder)).toEqual(new Set(expected.ingestOrder));
    expect(found.coverage).toEqual(expected.coverage);
    expect(await findingsIn(killed)).toEqual([]);
  });

  test("an uninterrupted compaction loses no write to a segment that is being rewritten", async () => {
    const undisturbed = newFolder("alone");
    await runAlone(undisturbed);
    const rewritten = newFolder("rewritten");
    expect(await run(rewritten, 0, null)).toBe(0);
    const [expected, found] = [listContents(undisturbed), listContents(rewritten)];
    expect(found.records).toEqual(expected.records);
    expect(found.found).toEqual(expected.found);
    expect(found.ingestOrder).toEqual(expected.ingestOrder);
    expect(await findingsIn(rewritten)).toEqual([]);
  });

  test("if compaction is killed at random, the coverage excludes expired posts, and no imported post is lost", async () => {
    const undisturbed = newFolder("whole");
    await runAlone(undisturbed);
    const aged = newFolder("aged");
    expect(await runKilled(aged, 86_400_000)).toBeGreaterThan(3);

    const [all, remaining] = [listContents(undisturbed), listContents(aged)];
    expect(remaining.records.length).toBeLessThan(all.records.length);
    const [interval] = remaining.coverage;
    expect(remaining.coverage).toHaveLength(1);
    const fromMs = interval?.fromMs ?? Number.NaN;
    const stored = new Set(remaining.records.map(parseUri));
    for (const text of all.records) {
      const { Metadata } = JSON.parse(text) as { Metadata: { created_at: string; origin: string } };
      const isRetained = Metadata.origin === "import" || Date.parse(Metadata.created_at) >= fromMs;
      if (isRetained) expect(stored, text).toContain(parseUri(text));
    }
    expect(await findingsIn(aged)).toEqual([]);
  });
});

const parseUri = (text: string): string =>
  (JSON.parse(text) as { Metadata: { uri: string } }).Metadata.uri;
