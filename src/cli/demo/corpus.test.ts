import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { readImportRecord, toPost } from "../../ingest/import/record.ts";
import { systemClock } from "../../lib/clock.ts";
import { platforms } from "../../posts/post.ts";
import { type CorpusRecord, makeCorpus } from "./corpus.ts";

const nowMs = Date.UTC(2026, 5, 17, 12, 30);
const corpus = makeCorpus(nowMs);
const records = [...corpus.values()].flat();

describe("the demo's corpus", () => {
  test("the demo's corpus is deterministic except for its times", () => {
    const laterRecords = [...makeCorpus(nowMs + 86_400_000).values()].flat();
    const words = (all: readonly CorpusRecord[]) => all.map(({ author, text }) => [author, text]);
    expect(words(laterRecords)).toEqual(words(records));
    expect(makeCorpus(nowMs)).toEqual(corpus);
  });

  test("the demo's corpus has several hundred posts from all platforms, in many languages, without duplicates", () => {
    expect(records.length).toBeGreaterThan(200);
    expect([...corpus.keys()].sort()).toEqual([...platforms]);
    expect(new Set(records.map((record) => record.lang)).size).toBeGreaterThan(12);
    const identities = records.map((record) => record.uri ?? record.id);
    expect(new Set(identities).size).toBe(records.length);
  });

  test("the demo's corpus links only to example domains, and its X authors are demo accounts", () => {
    const links = JSON.stringify(records).match(/https?:\/\/[^/"\s]+/g) ?? [];
    expect(links.length).toBeGreaterThan(20);
    for (const link of links) expect(link).toMatch(/[/.]example\.(com|org)$/);
    for (const { author } of corpus.get("x") ?? []) expect(author).toMatch(/_demo$/);
  });

  test("each reply, quote and repost in the demo's corpus refers to an older post on the same platform", () => {
    const fields = ["in_reply_to_id", "quote_of_id", "repost_of_id"];
    for (const [platform, list] of corpus) {
      const byId = new Map(list.map((record) => [record.id ?? record.uri, record]));
      for (const record of list) {
        for (const target of fields.map((field) => record[field]).filter(Boolean)) {
          const original = byId.get(target);
          expect(original, `${platform}: ${record.text}`).toBeDefined();
          expect(String(original?.created_at) < record.created_at, record.text).toBe(true);
        }
      }
    }
  });
});

describe("queries of the demo's posts", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "earshot-corpus-"));
  let archive: Archive;

  beforeAll(async () => {
    archive = await openArchive({ dataDir, readers: 1, segmentPosts: 1_000, clock: systemClock });
    for (const [platform, list] of corpus) {
      const posts = list.map((record) =>
        toPost(readImportRecord(record), platform, systemClock.now()),
      );
      await archive.write({ changes: posts.map((post) => ({ kind: "upsert", post })) });
    }
  });

  afterAll(async () => {
    await archive.close();
    rmSync(dataDir, { recursive: true });
  });

  async function count(query: string): Promise<number> {
    const { tree } = parseQuery(query);
    const names = await archive.resolve(namesIn(tree));
    const answer = await archive.search({
      plan: makePlan(tree, { names, asOfMs: 0 }),
      platforms,
      fromMs: null,
      toMs: null,
      after: null,
      limit: 500,
      deadlineMs: systemClock.now() + 60_000,
    });
    expect(answer.complete).toBe(true);
    return answer.positions.length;
  }

  test.for([
    '"northern lights"',
    "#aurora",
    "@halden_demo",
    "from:halden_demo",
    "from:kestrel.example.com",
    "from:trams@social.example.org",
    "to:halden_demo",
    "to:kestrel.example.com",
    "lang:ja",
    "lang:th",
    "lang:ar",
    "lang:ko",
    "lang:ru",
    "since:2026-06-15 until:2026-06-16",
    "filter:retweets",
    "min_faves:100",
    "min_retweets:20",
    "ferry",
    "aurora OR ferry",
    "geocode:62.1,-7.4,5km",
    'url:"halden.example.org/forecast"',
    "?",
    "filter:safe",
    "東京",
    "แสงเหนือ",
    "오로라",
    "🚀",
    "state-of-the-art",
  ])(
    "a query matches some of the demo's posts, and its negation matches the others: %s",
    async (query) => {
      const matches = await count(query);
      expect(matches).toBeGreaterThan(0);
      expect(matches).toBeLessThan(records.length);
      expect(await count(`-(${query})`)).toBe(records.length - matches);
    },
  );
});
