import { expect, test } from "vitest";
import type { Analysis } from "./analysis.ts";
import { showAnalysis } from "./show-analysis.ts";

const analysis: Analysis = {
  plan: { kind: "all" },
  names: { accounts: new Map([["a\u202eb", []]]), posts: new Map() },
  bounds: { fromMs: null, toMs: null, lowId: null, highId: null },
  queries: [
    { platform: "bluesky", query: null },
    {
      platform: "x",
      query: {
        expression: null,
        sealed: { kind: "every" },
        whole: { kind: "all" },
        residual: { kind: "all" },
        fromMs: null,
        toMs: null,
      },
    },
  ],
  limit: 20,
  answer: {
    positions: [],
    next: { id: 5n, platform: "x" },
    complete: false,
    coverage: [],
    damage: [],
    work: {
      segmentsOfPlatforms: 9,
      segmentsInWindow: 9,
      segmentsOpened: 3,
      slices: 3,
      statements: 3,
      candidates: 1_000,
      rechecked: 0,
      containers: 12,
      returned: 0,
      segments: [
        {
          platform: "x",
          sequence: 9,
          candidates: 7,
          rechecked: 0,
          containers: 12,
          found: 0,
          tookMs: 0.04213,
        },
        {
          platform: "x",
          sequence: 8,
          candidates: 993,
          rechecked: 0,
          containers: 0,
          found: 0,
          tookMs: 30_123.4,
        },
      ],
    },
  },
  tookMs: { parse: 0.04213, open: 42.13, resolve: 4.213, plan: 0, search: 421.3, fetch: 0 },
};

const output = showAnalysis(analysis, { colour: false, columns: 80 });

test("the analysis reports that a search timed out, and where it continues", () => {
  expect(output).toMatch(/deadline +exceeded: .*EARSHOT_JOB_DEADLINE/);
  expect(output).toContain("below ID 5 of x");
});

test("the analysis shows the number of segments that are not listed", () => {
  expect(output).toContain("and 1 more");
});

test("the analysis shows the sealed index's work, in total and per segment", () => {
  expect(output).toContain("containers  12 of sealed segments\n");
  expect(output).toMatch(/x +9 +7 +0 +12 +0 +0\.042\n/);
});

test("times in the analysis have at most three significant digits and are aligned", () => {
  expect(output).toContain("parse    0.042 ms\n");
  expect(output).toContain("open      42.1 ms\n");
  expect(output).toContain("resolve   4.21 ms\n");
  expect(output).toContain("search     421 ms\n");
});

test("the analysis reports a platform on which no post can match, and one on which every post is a candidate", () => {
  expect(output).toContain("bluesky\n    nothing: no post can match\n");
  expect(output).toContain("x\n    every post\n");
});

test("a name in the analysis cannot control the terminal", () => {
  expect(output).toContain("account ab resolves to nothing");
});
