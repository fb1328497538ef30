import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../../testkit/service/run-command.ts";
import { lowestId } from "../../posts/ids.ts";
import { run } from "../main.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-counts-"));
const environment = { EARSHOT_DATA_DIR: dataDir, EARSHOT_INGEST: "off" };
afterAll(() => rmSync(dataDir, { recursive: true }));

const counts = (...args: string[]) => runCommand(["counts", ...args], environment);

async function getScreen(...args: string[]): Promise<string> {
  let screen = "";
  const write = (text: string) => {
    screen += text;
  };
  await run(["counts", ...args], {
    out: write,
    note: write,
    interactive: true,
    interactiveNotes: true,
    columns: 60,
    rows: 12,
    colour: false,
    environment,
    stopSignal: new AbortController().signal,
  });
  return screen;
}

beforeAll(async () => {
  const hours = [1, 1, 2, 4, 4, 4, 30];
  const lines = hours.map((hour, n) => {
    const ms = Date.UTC(2022, 2, 5, hour, 20);
    return JSON.stringify({
      id: String(lowestId(ms) + BigInt(n)),
      author: "somebody_demo",
      created_at: new Date(ms).toISOString(),
      text: hour === 30 ? "late comet" : "a comet",
    });
  });
  const file = join(dataDir, "posts.ndjson");
  writeFileSync(file, lines.join("\n"));
  const coversArgs = ["--covers", "2022-03-05..2022-03-06"];
  const { code, notes } = await runCommand(
    ["import", file, "--platform", "x", ...coversArgs],
    environment,
  );
  expect(code, notes).toBe(0);
});

describe("output to a pipe", () => {
  test("counts to a pipe have one line per bucket from the first match to the end of coverage", async () => {
    const { code, out, notes } = await counts("comet -late");
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "2022-03-05T01:00:00.000Z  2",
      "2022-03-05T02:00:00.000Z  1",
      "2022-03-05T03:00:00.000Z  0",
      "2022-03-05T04:00:00.000Z  3",
      "2022-03-05T05:00:00.000Z  0",
    ]);
    expect(lines.at(-1)).toBe("2022-03-05T23:00:00.000Z  0");
    expect(notes).toBe(
      "6 posts; peak 3 in the hour from 2022-03-05 04:00 (UTC). The archive covers this time completely.\n",
    );
  });

  test("counts --csv prints a header and the completeness of each bucket", async () => {
    const { out } = await counts("comet", "--by", "day", "--csv");
    expect(out).toBe(
      [
        "start,end,tweet_count,complete",
        "2022-03-05T00:00:00.000Z,2022-03-06T00:00:00.000Z,6,true",
        "2022-03-06T00:00:00.000Z,2022-03-07T00:00:00.000Z,1,false",
        "",
      ].join("\n"),
    );
  });

  test("counts --json prints the API's format for the requested bounds", async () => {
    const bounds = ["--since", "2022-03-05T01:30:00Z", "--until", "2022-03-05T05:00:00Z"];
    const { out, notes } = await counts("comet", "--json", ...bounds);
    const printedCounts = JSON.parse(out);
    expect(printedCounts.data).toEqual([
      { start: "2022-03-05T01:30:00.000Z", end: "2022-03-05T02:00:00.000Z", tweet_count: 0 },
      { start: "2022-03-05T02:00:00.000Z", end: "2022-03-05T03:00:00.000Z", tweet_count: 1 },
      { start: "2022-03-05T03:00:00.000Z", end: "2022-03-05T04:00:00.000Z", tweet_count: 0 },
      { start: "2022-03-05T04:00:00.000Z", end: "2022-03-05T05:00:00.000Z", tweet_count: 3 },
    ]);
    expect(printedCounts).toMatchObject({
      meta: { total_tweet_count: 4 },
      complete: true,
      coverage: { complete: true, gaps: [] },
      canonical_query: "comet",
    });
    expect(notes).toBe("");
  });

  test("counts without matches are 0 in covered time and unknown otherwise", async () => {
    const coveredCounts = await counts("aurora", "--since", "2022-03-05", "--until", "2022-03-06");
    expect(coveredCounts.notes).toContain("0 posts. The archive covers this time completely.");
    const uncoveredCounts = await counts(
      "aurora",
      "--since",
      "2022-03-05",
      "--until",
      "2022-03-07",
    );
    expect(uncoveredCounts.notes).toContain("There may be some");
    expect(uncoveredCounts.out).toContain(
      "2022-03-05T23:00:00.000Z  0\n2022-03-06T00:00:00.000Z  ?\n",
    );
    expect((await counts("aurora")).out).toBe("");
  });
});

describe("output on a terminal", () => {
  test("counts on a terminal have one bar per line in UTC, with a summary below", async () => {
    const screen = await getScreen("comet", "--until", "2022-03-05T06:00:00Z");
    expect(screen).toBe(
      [
        "comet by hour (UTC)",
        "2022-03-05 01:00  2   █████████████████████████▎",
        "2022-03-05 02:00  1   ████████████▋",
        "2022-03-05 03:00  0",
        "2022-03-05 04:00  3   ██████████████████████████████████████",
        "2022-03-05 05:00  0",
        "6 posts; peak 3 in the hour from 2022-03-05 04:00 (UTC). The archive covers this time completely.",
        "",
      ].join("\n"),
    );
  });

  test("counts on a terminal merge buckets to fit and mark incomplete ones", async () => {
    const screen = await getScreen("comet");
    expect(screen.split("\n").length).toBeLessThanOrEqual(12);
    expect(screen).toContain("comet by hour, 6 h per line (UTC)\n");
    expect(screen).toMatch(/^2022-03-05 18:00 {2}0$/m);
    expect(screen).toMatch(/^2022-03-06 00:00 {3}\?$/m);
    expect(screen).toMatch(/^2022-03-06 06:00 {2}1\? {2}▒+$/m);
    expect(screen).toContain("of 30 hours (?): there may be more.");
  });
});

test("a usage error of counts exits with 2 and prints a hint", async () => {
  for (const [args, message] of [
    [["x", "--by", "week"], /Allowed choices are minute, hour, day/],
    [["x", "--since", "yesterday"], /yyyy-mm-dd/],
    [["x", "--since", "2022-03-05", "--until", "2022-03-05"], /--since must be before --until/],
    [["x", "--json", "--csv"], /cannot be used with/],
    [["comet", "--by", "minute", "--since", "2001-01-01"], /too many buckets/],
    [["since:2026-02-30"], /the query has an error/],
  ] satisfies [string[], RegExp][]) {
    const { code, out, notes } = await counts(...args);
    expect(notes).toMatch(message);
    expect(code).toBe(2);
    expect(out).toBe("");
  }
});
