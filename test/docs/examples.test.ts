import { readFileSync } from "node:fs";
import { parseQuery } from "@earshot/query";
import { makePlan, namesIn } from "@earshot/query/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readImportRecord, toPost } from "../../src/ingest/import/record.ts";
import { lowestId, numberedId, postTimeMs, uriNumber } from "../../src/posts/ids.ts";
import { type Platform, type Post, platforms } from "../../src/posts/post.ts";
import { generatedPost } from "../../testkit/data/generated.ts";
import { generatedLeaves } from "../../testkit/data/generated-queries.ts";
import { capMs, openPostSet, positionName } from "../../testkit/data/post-set.ts";
import { testRuns } from "../../testkit/seed.ts";

/** Runs the examples of the query language page: each query finds exactly what the page states. */
const page = readFileSync(new URL("../../docs/query-language.md", import.meta.url), "utf8");

const createdAt = "2026-01-01T12:00:00Z";
const asOfMs = Date.parse(createdAt) + 3_600_000;

type Example = { query: string; lines: readonly string[] };

const examples: readonly Example[] = [...page.matchAll(/```example\n([\s\S]*?)\n```/g)].map(
  ([, block = ""]) => {
    const [query = "", ...lines] = block.split("\n");
    return { query, lines };
  },
);

/** Reads a line of an example as a separate post. */
function linePost(line: string, number: number): Post {
  const written = JSON.parse(line.slice(2)) as Record<string, unknown>;
  const { platform: named = "x", ...fields } = written;
  const platform = platforms.find((other) => other === named);
  if (platform === undefined) throw new Error(`${String(named)} is not a platform`);
  const unknown: string[] = [];
  const record = readImportRecord(
    { author: "someone", created_at: createdAt, ...identity(platform, fields, number), ...fields },
    (name) => unknown.push(name),
  );
  expect(unknown, line).toEqual([]);
  return toPost(record, platform, asOfMs);
}

function identity(platform: Platform, fields: Record<string, unknown>, number: number) {
  const { created_at: time = createdAt, author_id: account = "did:plc:someone" } = fields;
  if (platform === "x") return { id: String(lowestId(Date.parse(String(time))) + BigInt(number)) };
  if (platform === "bluesky") return { uri: `at://${account}/app.bsky.feed.post/${number}` };
  return { uri: `https://social.example/users/someone/statuses/${number}` };
}

describe("the examples of docs/query-language.md", () => {
  test.each(examples)(
    "the example $query of docs/query-language.md finds exactly the marked posts",
    ({ query, lines }) => {
      expect(lines.every((line) => /^[+-] \{/.test(line))).toBe(true);
      const { tree, warnings } = parseQuery(query);
      expect(warnings).toEqual([]);
      const posts = lines.map(linePost);
      const set = openPostSet(posts);
      try {
        const names = set.archive.reader.operations.resolve(namesIn(tree));
        const plan = makePlan(tree, { names, asOfMs });
        const found = set.foundByArchive(plan);
        const expected = posts
          .filter((_, index) => lines[index]?.startsWith("+ "))
          .map(archivedName);
        expect(found.toSorted()).toEqual(expected.toSorted());
        expect(set.foundByMatcher(plan)).toEqual(found);
      } finally {
        set.remove();
      }
    },
  );
});

/** The name of a post in an archive. */
function archivedName(post: Post): string {
  const id = post.nativeId ?? numberedId(postTimeMs(post, capMs), uriNumber(post.uri));
  return positionName({ platform: post.platform, id });
}

/** Operators without a name and colon, by their syntax. */
const patterns = new Map([
  ["<word>", /^\w+$/],
  ['"<phrase>"', /^"/],
  ["+<word>", /^\+/],
  ["-<keyword>", / -\w+$/],
  ["<term1> OR <term2>", / OR /],
  ["#<hashtag>", /^#/],
  ["$<cashtag>", /^\$/],
  ["@<username>", /^@/],
  ["?", / \? /],
  ["<emoticon>", /:\)/],
]);

describe("every operator of the page", () => {
  const table = page.slice(page.indexOf("## Operators"), page.indexOf("### Words"));
  const rows = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, syntax = ""]) => syntax);

  test("the table of operators in docs/query-language.md has more than 50 rows", () => {
    expect(rows.length).toBeGreaterThan(50);
  });

  test.each(rows)(
    "the operator %s is shown in an example that finds and excludes posts",
    (syntax) => {
      const pattern = patterns.get(syntax);
      const start = /^-?(?:filter:\w+|\w+:)/.exec(syntax)?.[0] ?? syntax;
      const shown = examples.filter(({ query }) =>
        pattern === undefined
          ? query.split(" ").some((term) => term.startsWith(start))
          : pattern.test(query),
      );
      expect(shown.length).toBeGreaterThan(0);
      const lines = shown.flatMap((example) => example.lines);
      expect(lines.filter((line) => line.startsWith("+ ")).length).toBeGreaterThan(0);
      expect(lines.filter((line) => line.startsWith("- ")).length).toBeGreaterThan(0);
    },
  );
});

describe("a warning that nothing is found", () => {
  const literal = fc
    .tuple(fc.constantFrom("", "-"), fc.oneof(...Object.values(generatedLeaves)))
    .map((parts) => parts.join(""));
  const conjunction = fc.array(literal, { minLength: 2, maxLength: 5 }).map((all) => all.join(" "));
  const posts = fc.tuple(...Array.from({ length: 60 }, (_, n) => generatedPost(n)));

  test("a warning that a query finds nothing is true of every post", () => {
    const runs = testRuns(4);
    let reported = 0;
    fc.assert(
      fc.property(
        posts,
        fc.array(conjunction, { minLength: 400, maxLength: 400 }),
        (drawn, queries) => {
          const set = openPostSet(drawn);
          try {
            for (const query of queries.filter(isReportedToFindNothing)) {
              reported += 1;
              expect(set.foundByMatcher(set.planOf(query)), query).toEqual([]);
            }
          } finally {
            set.remove();
          }
        },
      ),
      { numRuns: runs },
    );
    expect(reported / runs).toBeGreaterThan(5);
  });

  /** Two author names may mean one account, so warnings about them are ignored. */
  function isReportedToFindNothing(query: string): boolean {
    return parseQuery(query).warnings.some(
      ({ code, message }) =>
        code === "empty_window" || (code === "contradiction" && !message.includes("one author")),
    );
  }
});
