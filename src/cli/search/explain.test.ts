import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-explain-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

const explain = (args: readonly string[], environment = {}): Promise<Outcome> =>
  runCommand(["explain", ...args], { EARSHOT_DATA_DIR: dataDir, ...environment });

const day = (n: number): string => new Date(Date.UTC(2022, 0, 1 + n)).toISOString();

describe("explain without an archive", () => {
  const nowhere = { EARSHOT_DATA_DIR: "/nowhere/at/all" };

  test("explain without an archive shows the plan with unresolved names", async () => {
    const { code, out } = await explain(["comet from:nasa min_faves:5"], nowhere);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "comet from:nasa min_faves:5",
        "",
        "all of",
        "├─ word comet",
        "├─ posted by nasa",
        "└─ at least 5 likes",
        "",
        "Plan",
        "all of",
        "├─ token comet",
        "├─ facet from:… of the account nasa, resolved when the query runs",
        "└─ at least 5 likes",
        "",
      ].join("\n"),
    );
  });

  test("explain --json contains the plan, with IDs as strings and each unresolved name as a node", async () => {
    const { out } = await explain(["since_id:9007199254740993 from:nasa", "--json"], nowhere);
    const printedPlan = JSON.parse(out);
    expect(Object.keys(printedPlan)).toEqual([
      "query",
      "canonical_query",
      "tree",
      "plan",
      "diagnostics",
    ]);
    expect(printedPlan.plan).toEqual({
      kind: "and",
      children: [
        { kind: "id", low: "9007199254740994", high: null },
        { kind: "unresolved", facet: "from:", subject: "account", name: "nasa" },
      ],
    });
  });

  test("explain shows no plan for an invalid query, with or without --analyze", async () => {
    for (const args of [["since:2026-02-30"], ["since:2026-02-30", "--analyze"]]) {
      const { code, out, notes } = await explain(args, nowhere);
      expect(code).toBe(2);
      expect(out).toContain("^^^^");
      expect(out).not.toContain("Plan");
      expect(notes).toMatch(/^earshot: the query has an error – /);
      const { out: json } = await explain([...args, "--json"], nowhere);
      expect(JSON.parse(json)).toMatchObject({ canonical_query: null, tree: null, plan: null });
    }
  });

  test("explain --analyze names the folder that contains no archive", async () => {
    const { code, out, notes } = await explain(["comet", "--analyze"], nowhere);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(notes).toMatch(/^earshot: no archive in \/nowhere\/at\/all – .*EARSHOT_DATA_DIR/);
  });

  test("explain --max-results without --analyze is a usage error", async () => {
    const { code, notes } = await explain(["comet", "--max-results", "5"], nowhere);
    expect(code).toBe(2);
    expect(notes).toMatch(/--max-results requires --analyze/);
  });
});

describe("--analyze", () => {
  beforeAll(async () => {
    const path = join(dataDir, "posts.ndjson");
    const posts = Array.from({ length: 40 }, (_, n) => ({
      id: String((BigInt(Date.parse(day(n))) - 1_288_834_974_657n) << 22n),
      author: "nasa_demo",
      author_id: "77",
      created_at: day(n),
      text: n % 2 === 0 ? "a comet" : "a star",
      likes: n * 10,
    }));
    writeFileSync(path, posts.map((post) => JSON.stringify(post)).join("\n"));
    await runCommand(["import", path, "--platform", "x"], {
      EARSHOT_DATA_DIR: dataDir,
      EARSHOT_SEGMENT_POSTS: "10",
    });
  });

  async function runAnalyze(...args: string[]) {
    const { code, out } = await explain(["--analyze", "--json", ...args]);
    expect(code).toBe(0);
    return JSON.parse(out);
  }

  test("explain --analyze resolves names in the plan and lists the accounts", async () => {
    const { plan, analysis } = await runAnalyze("from:nasa_demo");
    expect(analysis.names).toEqual({
      accounts: { nasa_demo: expect.arrayContaining(["x/77"]) },
      posts: {},
    });
    expect(JSON.stringify(plan)).toContain('"from:x/77"');
    expect(JSON.stringify(plan)).not.toContain("unresolved");
  });

  test("explain --analyze reports no rechecked candidate for a query that consists of words", async () => {
    const { analysis } = await runAnalyze("comet");
    expect(analysis.platforms).toHaveLength(3);
    expect(analysis.platforms[0]).toEqual({
      platform: "bluesky",
      can_match: true,
      index_query: '"comet"',
      checked_again: { kind: "all" },
    });
    expect(analysis.work).toMatchObject({ candidates: 20, checked_again: 0, returned: 20 });
    expect(analysis.work.statements).toBe(analysis.work.segments_opened);
    expect(analysis).toMatchObject({ complete: true, next: null, max_results: 20 });
  });

  test("explain --analyze reports what is rechecked for a count between two thresholds", async () => {
    const { analysis } = await runAnalyze("comet min_faves:150", "--max-results", "5");
    expect(analysis.platforms[2]).toMatchObject({
      index_query: '"comet" AND "likes>=100"',
      checked_again: { kind: "min-count", metric: "likes", atLeast: 150 },
    });
    expect(analysis.work.checked_again).toBe(analysis.work.candidates);
    expect(analysis.work.returned).toBe(5);
    expect(analysis.next).toEqual({ id: expect.stringMatching(/^\d{19}$/), platform: "x" });
  });

  test("explain --analyze opens only the platform's segments in the window", async () => {
    const { analysis } = await runAnalyze("platform:x since:2022-01-12 until:2022-01-14");
    expect(
      analysis.platforms.map((platform: { can_match: boolean }) => platform.can_match),
    ).toEqual([false, false, true]);
    expect(analysis.bounds).toEqual({
      from_ms: Date.UTC(2022, 0, 12),
      to_ms: Date.UTC(2022, 0, 14),
      low_id: null,
      high_id: null,
    });
    expect(analysis.work).toMatchObject({
      segments_in_window: 1,
      segments_opened: 1,
      candidates: 2,
      returned: 2,
    });
    expect(analysis.segments).toEqual([
      {
        platform: "x",
        segment: 2,
        candidates: 2,
        checked_again: 0,
        containers: 0,
        found: 2,
        took_ms: expect.any(Number),
      },
    ]);
  });

  test("explain --analyze shows the time of each step", async () => {
    const { analysis } = await runAnalyze("comet");
    const { total, ...steps } = analysis.took_ms;
    expect(Object.keys(steps)).toEqual(["parse", "open", "resolve", "plan", "search", "fetch"]);
    expect(steps.search).toBeGreaterThan(0);
    const sum = Object.values<number>(steps).reduce((a, b) => a + b, 0);
    expect(total).toBeCloseTo(sum, 1);
  });

  test("explain --analyze prints a readable report", async () => {
    const { code, out } = await explain([
      "--analyze",
      "comet OR star from:nasa_demo min_faves:150 since_id:5",
    ]);
    expect(code).toBe(0);
    expect(out).toContain("warning[or_binds_tighter]");
    expect(out).toMatch(/\nNames\n {2}account nasa_demo resolves to .*x\/77/);
    expect(out).toMatch(/\nIndex query\n {2}bluesky, mastodon, x\n {4}\(/);
    expect(out).toContain(
      "    rechecked, because the index cannot express it exactly:\n      at least",
    );
    expect(out).toContain("  bounds: any time; IDs from 6 on\n");
    expect(out).toMatch(/\n {2}segments +\d+ stored, \d+ in the window, \d+ opened\n/);
    expect(out).toMatch(/\n {2}deadline +met\n/);
    expect(out).toMatch(/\n {2}platform +segment +candidates +rechecked +containers +found +ms\n/);
    expect(out).toMatch(/\n {2}search +[\d.]+ ms\n/);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(180);
  });
});
