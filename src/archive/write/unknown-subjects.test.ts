import { afterEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { ArchiveChange } from "../archive.ts";
import { openCatalog } from "../catalog/open-catalog.ts";

const start = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
let archive: SmallArchive;
afterEach(() => archive.remove());

const handle = (userId: string, observedMs: number): ArchiveChange => ({
  kind: "handle",
  platform: "bluesky",
  userId,
  handle: `${userId.slice(8)}.example`,
  observedMs,
});

const label = (subject: string, createdMs: number): ArchiveChange => ({
  kind: "label",
  platform: "bluesky",
  subject,
  source: "did:plc:labeler",
  value: "spam",
  negated: false,
  createdMs,
  expiresMs: null,
});

const reportedAccount = (userId: string): ArchiveChange[] => [
  { kind: "account", platform: "bluesky", userId, status: "active", observedMs: start },
  { kind: "profile", platform: "bluesky", userId, name: "Someone", labels: [], observedMs: start },
];

function readRows(table: string): number {
  const catalog = openCatalog(archive.folder);
  const row = catalog.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
  catalog.close();
  return Number(row?.rows);
}

const uri = (key: string): string => `at://did:plc:author/app.bsky.feed.post/${key}`;

test("accounts without posts are recorded only if their status would hide posts", () => {
  archive = smallArchive();
  archive.write([...reportedAccount("did:plc:a"), ...reportedAccount("did:plc:b")]);
  expect(readRows("account")).toBe(0);
  archive.write([
    {
      kind: "account",
      platform: "bluesky",
      userId: "did:plc:a",
      status: "takendown",
      observedMs: start,
    },
  ]);
  expect(readRows("account")).toBe(1);
});

test("handles of unknown accounts and labels of unknown posts are removed after a month", () => {
  archive = smallArchive();
  archive.put(makePost({ key: "stored", username: "", origin: "stream", createdMs: start }));
  archive.write([
    handle("did:plc:author", start),
    handle("did:plc:unknown", start),
    handle("did:plc:later", start + 2 * dayMs),
    label(uri("stored"), start),
    label(uri("never"), start),
    label("did:plc:unknown", start),
  ]);
  archive.expire(start + 30 * dayMs);
  expect([readRows("handle"), readRows("label")]).toEqual([3, 3]);
  archive.expire(start + 31 * dayMs);
  expect([readRows("handle"), readRows("label")]).toEqual([2, 2]);
  expect(archive.query("from:author.example label:spam").positions).toHaveLength(1);
  expect(archive.query("from:later.example").positions).toHaveLength(0);
});

test("handles from imports are never removed", () => {
  archive = smallArchive();
  archive.put(makePost({ username: "imported.example", createdMs: start }));
  archive.expire(start + 3_000 * dayMs);
  expect(readRows("handle")).toBe(1);
});

test("large tables of unknown subjects are processed in portions", () => {
  archive = smallArchive();
  const handles = Array.from({ length: 12_000 }, (_, n) => handle(`did:plc:${n}`, start));
  archive.write(handles);
  const remainingCounts: number[] = [];
  for (let times = 0; times < 4; times += 1) {
    archive.expire(start + 40 * dayMs);
    remainingCounts.push(readRows("handle"));
  }
  expect(remainingCounts).toEqual([7_000, 2_000, 0, 0]);
});
