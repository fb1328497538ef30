import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan } from "@earshot/query/plan";
import { afterEach, expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Post } from "../../posts/post.ts";
import type { Archive, WriteReport } from "../archive.ts";
import { type ArchiveSettings, openArchive } from "../threads/open.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-language-"));
const german = "Heute ist das Wetter schön und wir gehen in den Park";
let archive: Archive;

async function open(detectLanguage?: ArchiveSettings["detectLanguage"]): Promise<void> {
  archive = await openArchive({
    dataDir,
    readers: 1,
    segmentPosts: 1_000,
    clock: systemClock,
    ...(detectLanguage === undefined ? {} : { detectLanguage }),
  });
}

const put = (...posts: Post[]): Promise<WriteReport> =>
  archive.write({ changes: posts.map((post) => ({ kind: "upsert", post })) });

type ShownRecord = {
  Content: string;
  Metadata: { lang: string | null; langs: string[]; lang_detected: boolean };
};

async function findRecords(query: string): Promise<ShownRecord[]> {
  const names = { accounts: new Map(), posts: new Map() };
  const answer = await archive.search({
    plan: makePlan(parseQuery(query).tree, { names, asOfMs: 0 }),
    platforms: ["bluesky", "mastodon", "x"],
    fromMs: null,
    toMs: null,
    after: null,
    limit: 100,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  return (await archive.records(answer.positions)).records.map(
    (text) => JSON.parse(text) as ShownRecord,
  );
}

afterEach(async () => {
  await archive.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("a post without a reported language is found by the detected one, which is marked as detected", async () => {
  await open();
  await put(makePost({ key: "a", text: german, langs: [] }));
  const [record, ...others] = await findRecords("lang:de");
  expect(others).toEqual([]);
  expect(record?.Metadata).toMatchObject({ lang: "de", langs: [], lang_detected: true });
  expect(await findRecords("lang:und")).toEqual([]);
});

test("the detected language never overrides a reported one", async () => {
  await open();
  await put(makePost({ key: "a", text: german, langs: ["nl"] }));
  expect(await findRecords("lang:de")).toEqual([]);
  const [record] = await findRecords("lang:nl");
  expect(record?.Metadata).toMatchObject({ lang: "nl", langs: ["nl"], lang_detected: false });
});

test("a text without a detectable language stays undetermined", async () => {
  await open();
  await put(makePost({ key: "a", text: "ok https://example.com/heute-ist-das-wetter", langs: [] }));
  const [record] = await findRecords("lang:und");
  expect(record?.Metadata).toMatchObject({ lang: null, langs: [], lang_detected: false });
});

test("no language is detected if detection is disabled", async () => {
  await open("off");
  await put(makePost({ key: "a", text: german, langs: [] }));
  expect(await findRecords("lang:de")).toEqual([]);
  const [record] = await findRecords("lang:und");
  expect(record?.Metadata).toMatchObject({ lang: null, lang_detected: false });
});

test("the detected language is kept when counts change, and detected again when the text changes", async () => {
  await open();
  const post = makePost({ key: "a", text: german, langs: [], origin: "import" });
  expect(await put(post)).toMatchObject({ inserted: 1 });
  expect(await put(post)).toMatchObject({ unchanged: 1, updated: 0 });
  await put({ ...post, counts: { likes: 20, reposts: 1, replies: 0, quotes: 0 } });
  expect(await findRecords("lang:de min_faves:20")).toHaveLength(1);
  await put({ ...post, text: "Hoy hace muy buen tiempo y nos vamos al parque con los niños" });
  expect(await findRecords("lang:de")).toEqual([]);
  expect(await findRecords("lang:es")).toHaveLength(1);
});
