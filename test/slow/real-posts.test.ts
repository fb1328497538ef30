import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { parseQueryLeniently } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRealPosts, iraPosts, toRecord } from "../../bench/ira.ts";
import type { Position } from "../../src/archive/archive.ts";
import { readImportRecord, toPost } from "../../src/ingest/import/record.ts";
import type { Post } from "../../src/posts/post.ts";
import { type SmallArchive, smallArchive } from "../../testkit/archives/small-archive.ts";
import { oraclePostOnX } from "../../testkit/data/oracle-post.ts";
import type { OracleFindings, OracleTask } from "../../testkit/data/oracle-worker.ts";
import { drawRealQueries, type Sample } from "../../testkit/data/real-queries.ts";
import { testSeed } from "../../testkit/seed.ts";
import type { OraclePost } from "../oracle/oracle.ts";

const seed = testSeed(12);
const threadCount = 2;
const postsPerBatch = 5_000;
const nowMs = Date.UTC(2026, 0, 1);
const skipped = hasRealPosts() ? "" : " (skipped: the 600,000 posts are not on this machine)";

describe.skipIf(!hasRealPosts())(`600,000 real posts${skipped}`, () => {
  const archive: SmallArchive = smallArchive(100_000);
  const samples: Sample[] = [];
  const authors = new Map<string, OracleTask["context"]["authors"][number]>();
  let posts = 0;

  beforeAll(async () => {
    const start = performance.now();
    let batch: Post[] = [];
    for await (const line of iraPosts()) {
      const post = toPost(readImportRecord(toRecord(line)), "x", nowMs);
      batch.push(post);
      const { platform, username, userId, text, createdMs } = post;
      authors.set(`${userId} ${username}`, { platform, user_id: userId, handle: username });
      if (posts++ % 23 === 0) {
        samples.push({ text, author: username, ms: createdMs ?? 0, id: String(post.nativeId) });
      }
      if (batch.length === postsPerBatch) {
        archive.put(...batch);
        batch = [];
      }
    }
    archive.put(...batch);
    console.log(`${posts} posts written in ${secondsSince(start)} s`);
  }, 300_000);

  afterAll(() => archive.remove());

  test("the archive returns the same posts as the oracle for queries of real words, unsealed and sealed", async () => {
    console.log(`EARSHOT_TEST_SEED=${seed}`);
    const queries = drawRealQueries(samples, seed).filter(isValid);
    expect(queries.length).toBeGreaterThanOrEqual(300);
    let start = performance.now();
    const expected = await requestOracle(queries);
    console.log(`oracle: ${secondsSince(start)} s in ${threadCount} threads`);
    compare(queries, expected);
    start = performance.now();
    archive.seal();
    console.log(`sealed in ${secondsSince(start)} s`);
    compare(queries, expected);
  }, 900_000);

  function compare(queries: readonly string[], expected: readonly (bigint[] | string)[]): void {
    const start = performance.now();
    const differences: string[] = [];
    let matchingQueries = 0;
    let total = 0;
    for (const [index, query] of queries.entries()) {
      const found = allIds(query);
      const due = expected[index] ?? [];
      total += found.length;
      if (found.length > 0) matchingQueries += 1;
      if (typeof due === "string") differences.push(`${query}\nthe oracle reports ${due}`);
      else if (found.join() !== due.join()) differences.push(difference(query, found, due));
    }
    console.log(`archive: ${secondsSince(start)} s`);
    console.log(
      `${queries.length} queries, ${matchingQueries} of them found posts, ${total} posts found in total, ${differences.length} differences`,
    );
    expect(differences.join("\n\n")).toBe("");
    expect(matchingQueries).toBeGreaterThan(queries.length / 2);
  }

  function allIds(query: string): bigint[] {
    const { tree } = parseQueryLeniently(query);
    if (tree === null) return [];
    const names = archive.reader.operations.resolve(namesIn(tree));
    const plan = makePlan(tree, { names, asOfMs: nowMs });
    const found: bigint[] = [];
    let after: Position | null = null;
    do {
      const answer = archive.search({ plan, limit: 5_000, after });
      for (const { id } of answer.positions) found.push(id);
      after = answer.next;
    } while (after !== null);
    return found;
  }

  async function requestOracle(queries: readonly string[]): Promise<(bigint[] | string)[]> {
    const context: OracleTask["context"] = {
      asOfMs: nowMs,
      authors: [...authors.values()],
      posts: postsNamedIn(queries),
    };
    const partFindings = await Promise.all(
      Array.from({ length: threadCount }, async (_, part): Promise<OracleFindings> => {
        const task: OracleTask = {
          folder: archive.folder,
          queries,
          context,
          part,
          parts: threadCount,
        };
        const worker = new Worker(new URL("../../testkit/data/oracle-worker.ts", import.meta.url), {
          workerData: task,
        });
        const [answer] = await once(worker, "message");
        return answer;
      }),
    );
    expect(partFindings.reduce((sum, part) => sum + part.posts, 0)).toBe(posts);
    return queries.map((_, index) => {
      const parts = partFindings.map(({ results }) => results[index] ?? "no answer");
      const problem = parts.find((part) => typeof part === "string");
      return problem ?? parts.flatMap((ids) => [...ids] as bigint[]).sort(newestFirst);
    });
  }

  function postsNamedIn(queries: readonly string[]): OraclePost[] {
    const numbers = queries.flatMap((query) => /conversation_id:(\d+)/.exec(query)?.[1] ?? []);
    return archive.reader.operations
      .records(numbers.map((number) => ({ id: BigInt(number), platform: "x" })))
      .records.map(oraclePostOnX);
  }

  function difference(
    query: string,
    found: readonly bigint[],
    expected: readonly bigint[],
  ): string {
    const inOracle = new Set(expected);
    const inArchive = new Set(found);
    const only = (name: string, ids: bigint[]): string =>
      `${ids.length} found only by the ${name}\n${formatTexts(ids.slice(0, 3))}`;
    return [
      `EARSHOT_TEST_SEED=${seed} ${query}`,
      `archive ${found.length}, oracle ${expected.length}`,
      only(
        "archive",
        found.filter((id) => !inOracle.has(id)),
      ),
      only(
        "oracle",
        expected.filter((id) => !inArchive.has(id)),
      ),
    ].join("\n");
  }

  function formatTexts(ids: readonly bigint[]): string {
    return archive.reader.operations
      .records(ids.map((id) => ({ id, platform: "x" })))
      .records.map((record) => `  ${record}`)
      .join("\n");
  }
});

function newestFirst(a: bigint, b: bigint): number {
  return a > b ? -1 : 1;
}

/** False for a query with an error, such as a single bracket. */
function isValid(query: string): boolean {
  return parseQueryLeniently(query).diagnostics.every(({ severity }) => severity !== "error");
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(1);
}
