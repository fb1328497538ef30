import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlanNode } from "@earshot/query/plan";
import { afterEach, expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import { runToEnd } from "../../lib/run-to-end.ts";
import { postKey } from "../../posts/references.ts";
import type { Archive } from "../archive.ts";
import { readSegments } from "../catalog/catalog.ts";
import { compactionContext } from "../compaction/context.ts";
import { sealSegment } from "../compaction/seal-segment.ts";
import { runSteps } from "../compaction/steps.ts";
import { archiveDefaults } from "../settings.ts";
import { openArchive } from "./open.ts";
import { createReader } from "./reader.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-open-"));
let archive: Archive | null = null;

const settings = {
  dataDir,
  readers: 2,
  segmentPosts: 1_000,
  detectLanguage: "off",
  clock: systemClock,
} as const;

async function open(): Promise<Archive> {
  archive = await openArchive(settings);
  return archive;
}

afterEach(async () => {
  await archive?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const batch = (from: number, count: number) => ({
  changes: Array.from({ length: count }, (_, n) => ({
    kind: "upsert" as const,
    post: makePost({ key: `${from + n}`, createdMs: Date.UTC(2026, 0, 1) + from + n }),
  })),
  checkpoints: [{ name: "checkpoint", value: String(from + count) }],
});

const everything = {
  plan: { kind: "all" },
  platforms: ["bluesky"],
  fromMs: null,
  toMs: null,
  after: null,
  limit: 500,
  deadlineMs: Number.POSITIVE_INFINITY,
} as const;

test("batches are written in call order, and visible to every reader", async () => {
  const stored = await open();
  const reports = await Promise.all([0, 100, 200].map((from) => stored.write(batch(from, 100))));
  expect(reports.map(({ inserted }) => inserted)).toEqual([100, 100, 100]);
  expect(await stored.readCheckpoint("checkpoint")).toBe("300");
  const answers = await Promise.all([1, 2, 3, 4].map(() => stored.search(everything)));
  for (const { positions } of answers) expect(positions).toHaveLength(300);
});

test("a failed batch fails those queued behind it, and later batches are written", async () => {
  const stored = await open();
  await stored.write(batch(0, 1));
  const impossible = {
    changes: [],
    coverage: [
      {
        platform: "x" as const,
        collection: "posts" as const,
        account: null,
        source: "s",
        fromMs: Number.NaN,
        toMs: 1,
      },
    ],
  };
  const outcomes = await Promise.allSettled([stored.write(impossible), stored.write(batch(10, 5))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await stored.readCheckpoint("checkpoint")).toBe("1");
  expect(await stored.write(batch(10, 5))).toMatchObject({ inserted: 5 });
});

test("IDs beyond 2^53, platforms and names reach the readers unchanged", async () => {
  const stored = await open();
  await stored.write(batch(0, 3));
  const { positions } = await stored.search(everything);
  const [, middlePosition] = positions;
  const id = middlePosition?.id ?? 0n;
  expect(id).toBeGreaterThan(2n ** 53n);
  const only = (low: bigint, high: bigint): PlanNode => ({
    kind: "and",
    children: [
      { kind: "id", low, high },
      { kind: "not", child: { kind: "platform", platform: "x" } },
    ],
  });
  expect((await stored.search({ ...everything, plan: only(id, id) })).positions).toEqual([
    middlePosition,
  ]);
  expect((await stored.search({ ...everything, plan: only(id + 1n, id) })).positions).toEqual([]);
  const names = { accounts: ["author.example.com"], posts: [String(id)] };
  const resolved = await stored.resolve(names);
  expect(resolved.accounts.get("author.example.com")).toContain("bluesky/did:plc:author");
  const uri = makePost({ key: "1" }).uri;
  expect(resolved.posts.get(String(id))).toContain(postKey("bluesky", { id: null, uri }));
});

test("opening an archive whose catalog is not a database fails with an error that names the cause", async () => {
  const stored = await open();
  await stored.close();
  writeFileSync(
    join(dataDir, "archive", "catalog.db"),
    "no database at all, whatever its name says".repeat(50),
  );
  await expect(open()).rejects.toThrow(/not a database/);
  archive = null;
});

test("an aborted search rejects with the signal's reason and stops on its thread, and other searches are answered", async () => {
  const stored = await open();
  await stored.write(batch(0, 100));
  const abortController = new AbortController();
  const pendingSearch = stored.search(everything, abortController.signal);
  const reason = new Error("no longer needed");
  abortController.abort(reason);
  await expect(pendingSearch).rejects.toBe(reason);
  await expect(stored.search(everything, abortController.signal)).rejects.toBe(reason);
  const otherAnswer = await stored.search(everything, new AbortController().signal);
  expect(otherAnswer.positions).toHaveLength(100);

  const reader = createReader(join(dataDir, "archive"), 2_000, systemClock);
  const searched = (isStopped: boolean) =>
    runToEnd(
      reader.steps.search(everything, {
        clock: systemClock,
        isSliceOver: () => false,
        isStopped: () => isStopped,
      }),
    );
  const stoppedAnswer = searched(true);
  expect(stoppedAnswer).toMatchObject({
    positions: [],
    complete: false,
    work: { segmentsOpened: 0 },
  });
  expect(searched(false).positions).toHaveLength(100);
  reader.close();
});

test.each([
  ["with a shared ID cache", undefined],
  ["with private ID caches if none can be shared", 10_000],
])("reader threads answer from sealed segments %s", async (_, memoryBytes) => {
  const stored = await open();
  await stored.write(batch(0, 100));
  await stored.close();
  sealAll(join(dataDir, "archive"));
  archive = await openArchive({
    ...settings,
    readers: 3,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => archive?.search({ ...everything, limit: 40 })),
  );
  for (const answer of answers) {
    expect(answer?.positions).toHaveLength(40);
    expect(answer?.work).toMatchObject({ statements: 1, candidates: 41 });
  }
});

function sealAll(folder: string): void {
  const context = compactionContext(folder, archiveDefaults, systemClock);
  for (const entry of readSegments(context.catalog)) runSteps(sealSegment(context, entry));
  context.catalog.close();
}
