import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { makePost } from "../../../test/support/make-post.ts";
import { heldPosts, writerOn } from "../../../test/support/whole-archive.ts";
import { systemClock } from "../../lib/clock.ts";
import { catalogPath, segmentPath } from "../catalog.ts";
import { archiveDefaults } from "../settings.ts";
import { check } from "./check.ts";
import { findingKinds, remedyOf } from "./findings.ts";
import { rewriteWanted, wantSegments } from "./rewrite-wanted.ts";

let made = "";
let data = "";

beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), "earshot-mend-"));
  const writer = writerOn(made, 30);
  const posts = Array.from({ length: 40 }, (_, n) =>
    makePost({ key: `key${n}`, createdMs: Date.UTC(2026, 0, 1, 0, n), text: `post ${n}` }),
  );
  posts.push(makePost({ key: "3mabcdefghijk", createdMs: Date.UTC(2025, 11, 1), text: "strayed" }));
  writer.write(posts.map((post) => ({ kind: "upsert", post })));
  writer.close();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "earshot-mend-"));
  cpSync(made, data, { recursive: true });
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const signal = new AbortController().signal;
const onProgress = (): void => {};
const folder = (): string => join(data, "archive");

const checked = () => check({ folder: folder(), isFull: true, sampleRows: 1, onProgress, signal });

const rewritten = () =>
  rewriteWanted({
    folder: folder(),
    bounds: archiveDefaults,
    clock: systemClock,
    onProgress,
    signal,
  });

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

const inSegment = (sql: string) => () =>
  change(segmentPath(folder(), { platform: "bluesky", sequence: 1 }), sql);

const one = "(SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 12)";

const damages: Record<string, () => void> = {
  index_lacks: inSegment(`DELETE FROM term WHERE rowid = ${one}`),
  index_exceeds: inSegment(
    `UPDATE post SET record = replace(record, 'post 11', 'post') WHERE id = ${one}`,
  ),
  number_differs: inSegment("UPDATE setting SET value = 7 WHERE name IN ('posts', 'imported')"),
  uri_entry_missing: inSegment(`DELETE FROM uri WHERE id = ${one}`),
  uri_entry_wrong: inSegment("INSERT INTO uri VALUES(5, 5), (6, (SELECT max(id) FROM post))"),
  hidden_without_post: inSegment("INSERT INTO hidden VALUES(5)"),
  time_outside: inSegment(`UPDATE post SET time_ms = time_ms + 1 WHERE id = ${one}`),
  stray_not_listed: () => change(catalogPath(folder()), "DELETE FROM strayed"),
};

test("every kind of finding that a rewrite is said to mend is tried", () => {
  const mended = Object.entries(findingKinds).filter(([, todo]) => todo.includes("reindex"));
  expect(Object.keys(damages).sort()).toEqual(mended.map(([kind]) => kind).sort());
});

test.for(Object.entries(damages))(
  "%s is mended by what the finding says",
  async ([kind, damage]) => {
    const before = heldPosts(folder()).length;
    damage();
    const { findings } = await checked();
    const found = findings.find((finding) => finding.kind === kind);
    expect(found && remedyOf(found)).toBe("earshot archive reindex --segment bluesky/1");
    await wantSegments(folder(), { segment: "bluesky/1" }, signal);
    expect(await rewritten()).toMatchObject({ by: "here", segments: 1, oldFilesGone: true });
    expect((await checked()).findings).toEqual([]);
    expect(heldPosts(folder()).length).toBe(before);
  },
);

test("a rewrite that is stopped is still wanted", async () => {
  await wantSegments(folder(), "all", signal);
  const stopping = new AbortController();
  const stopped = rewriteWanted({
    folder: folder(),
    bounds: archiveDefaults,
    clock: systemClock,
    onProgress: () => stopping.abort(new Error("enough")),
    signal: stopping.signal,
  });
  await expect(stopped).rejects.toThrow("enough");
  expect((await checked()).findings).toEqual([]);
  expect(await rewritten()).toMatchObject({ segments: 2 });
  expect((await checked()).findings).toEqual([]);
});
