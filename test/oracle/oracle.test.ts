import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cases } from "./cases.ts";
import { type ImportRecord, readExamples, toOraclePost } from "./examples.ts";
import { analyzePost, compileOracle } from "./oracle.ts";
import type { OracleContext, OraclePost } from "./types.ts";

const directory = new URL("./", import.meta.url);
const page = readFileSync(new URL("../../docs/query-language.md", directory), "utf8");

function makeContext(posts: readonly OraclePost[]): OracleContext {
  return {
    asOfMs: Date.parse("2026-01-01T13:00:00Z"),
    authors: posts.map(({ Metadata }) => ({
      platform: Metadata.platform,
      user_id: Metadata.user_id,
      handle: Metadata.username,
    })),
    posts: [...posts],
  };
}

function findRecords(query: string, records: readonly ImportRecord[]): ImportRecord[] {
  const posts = records.map(toOraclePost);
  const matches = compileOracle(query, makeContext(posts));
  return records.filter((_, index) => {
    const post = posts[index];
    return post !== undefined && matches(analyzePost(post));
  });
}

test("the oracle shares no code with Earshot: it imports its own files, node and twitter-text", () => {
  for (const file of readdirSync(directory).filter((name) => name.endsWith(".ts"))) {
    const source = readFileSync(new URL(file, directory), "utf8");
    const imports = [
      ...source.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"']+)["']/g),
    ].map((match) => match[1]);
    for (const name of imports) {
      expect(name, file).toMatch(/^(?:\.\/[a-z-]+\.ts|node:.*|twitter-text|vitest)$/);
    }
  }
});

describe.each(cases)("$title", ({ query, finds, excludes }) => {
  test(`the oracle finds the expected posts for ${query}`, () => {
    const foundRecords = finds.map((record) => ({ ...record }));
    const excludedRecords = excludes.map((record) => ({ ...record }));
    expect(findRecords(query, [...foundRecords, ...excludedRecords])).toEqual(foundRecords);
  });
});

describe("the examples of the page", () => {
  const examples = readExamples(page);

  test("each example of docs/query-language.md has a query and posts", () => {
    for (const { query, posts, line } of examples) {
      expect(query, `line ${line}`).not.toBe("");
      expect(posts.length, `line ${line}`).toBeGreaterThan(0);
    }
  });

  test.each(examples)(
    "the oracle finds the marked posts of line $line: $query",
    ({ query, posts }) => {
      const records = posts.map(({ record }) => record);
      const found = posts.filter((post) => post.found).map(({ record }) => record);
      expect(findRecords(query, records)).toEqual(found);
    },
  );
});

describe("the queries of the page", () => {
  const blocks = [...page.matchAll(/^```query\n(.*?)^```/gms)].map((match) => match[1] ?? "");
  test.each(blocks.flatMap((block) => block.trim().split("\n")))(
    "the oracle reads the query %s of docs/query-language.md",
    (query) => {
      expect(compileOracle(query, makeContext([]))).toBeTypeOf("function");
    },
  );
});

test("a name refers to the accounts that used it, otherwise to an id, and a mentioned handle is literal", () => {
  const mention = (handle: string, id: string | null): OraclePost => {
    const post = toOraclePost({ text: `hello @${handle}` });
    return { ...post, mention_ids: [id] };
  };
  const context: OracleContext = {
    asOfMs: 0,
    posts: [],
    authors: [
      { platform: "x", user_id: "1", handle: "Old" },
      { platform: "x", user_id: "1", handle: "new" },
    ],
  };
  const finds = (query: string, post: OraclePost): boolean =>
    compileOracle(query, context)(analyzePost(post));
  expect(finds("@old", mention("renamed", "1"))).toBe(true);
  expect(finds("@old", mention("old", null))).toBe(true);
  expect(finds("@old", mention("old", "2"))).toBe(true);
  expect(finds("@1", mention("new", null))).toBe(true);
  expect(finds("@1", mention("new", "2"))).toBe(false);
  expect(finds("@1", mention("renamed", "1"))).toBe(true);
  expect(finds("@unknown", mention("unknown", "7"))).toBe(true);
  expect(finds("@7", mention("unknown", "7"))).toBe(true);
});
