import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemClock } from "../lib/clock.ts";
import { diagnosticCodes } from "../query/diagnostics.ts";
import { createMetrics } from "./metrics.ts";
import { type ProblemCode, problems } from "./problems.ts";
import { openApiFile } from "./routes/ops/openapi.ts";
import { platformWords } from "./source-types.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const api = page("api.md");
const errorsFolder = new URL("../../docs/errors/", import.meta.url);

describe("docs/errors", () => {
  const codes = Object.keys(problems);

  test.each(Object.entries(problems))("has a page for %s", (code, { status, title }) => {
    const text = page(`errors/${code}.md`);
    expect(text.startsWith(`# ${title}\n\nStatus: ${status}. Code: \`${code}\`. `)).toBe(true);
    const chapters = text.split(/^## /m).slice(1);
    expect(chapters.map((chapter) => chapter.split("\n")[0])).toEqual([
      "What happened",
      "How to fix it",
      "Example",
    ]);
    for (const chapter of chapters) expect(chapter.length).toBeGreaterThan(60);
  });

  test("has no page of a problem that there is not, and lists them all", () => {
    const others = ["README.md", "details.md", "warnings.md", "job-failures.md"];
    const pages = codes.map((code) => `${code}.md`);
    expect(readdirSync(errorsFolder).sort()).toEqual([...others, ...pages].sort());
    const listed = [
      ...page("errors/README.md").matchAll(/^\| \[`(\w+)`\]\((\w+)\.md\) \| (\d+) /gm),
    ];
    expect(listed.map(([, code]) => code).sort()).toEqual(codes.toSorted());
    for (const [, code, file, status] of listed) {
      expect(file).toBe(code);
      expect(Number(status)).toBe(problems[code as ProblemCode].status);
    }
  });

  test("says in the list whether a retry helps", () => {
    for (const [code, { retryable, title }] of Object.entries(problems)) {
      const helps = retryable ? "can help" : "does not help";
      expect(page("errors/README.md")).toContain(`| ${helps} | ${title} |`);
      expect(page(`errors/${code}.md`).includes("The same request can succeed later.")).toBe(
        retryable,
      );
    }
  });

  test("names no setting that there is not", () => {
    const settings = page("configuration.md");
    for (const file of readdirSync(errorsFolder)) {
      for (const [name] of page(`errors/${file}`).matchAll(/EARSHOT_[A-Z_]+/g)) {
        expect(settings, file).toContain(`\`${name}\``);
      }
    }
  });
});

describe("the codes beside those of problems", () => {
  const rows = (name: string) =>
    [...page(name).matchAll(/^\| `([a-z_]+)` \| .{10,} \|$/gm)].map(([, code = ""]) => code);
  const pages = ["errors/details", "errors/warnings", "errors/job-failures", "nodes"];
  const explained = pages.flatMap((name) => rows(`${name}.md`));
  const source = ["http", "jobs", "accounts", "platforms", "nodes"].map(sourceOf).join("\n");

  test("are explained, each one that the source gives an entry, a warning or a failure", () => {
    const ofSchemas = readFileSync(new URL("schemas/validation.ts", import.meta.url), "utf8");
    const given = [
      ...source.matchAll(/\bcode: "([a-z_]+)"/g),
      ...ofSchemas.matchAll(/return "([a-z_]+)";/g),
    ].map(([, code = ""]) => code);
    const ofTheSchemas = "custom";
    const known = new Set([
      ...explained,
      ...Object.keys(diagnosticCodes),
      ...Object.keys(problems),
      ofTheSchemas,
    ]);
    expect(given.length).toBeGreaterThan(15);
    expect(given.filter((code) => !known.has(code))).toEqual([]);
  });

  test("are those of the source", () => {
    const everything = `${source}\n${sourceOf("lib")}\n${sourceOf("archive")}`;
    expect(explained.length).toBeGreaterThan(20);
    expect(explained.filter((code) => !everything.includes(`"${code}"`))).toEqual([]);
  });

  test("are each explained once in a page", () => {
    for (const name of ["details", "warnings", "job-failures"]) {
      const codes = rows(`errors/${name}.md`);
      expect(codes).toEqual([...new Set(codes)]);
    }
  });
});

/** All that the files of a room say, their tests left out. */
function sourceOf(room: string): string {
  const folder = new URL(`../${room}/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/(?:^|\/)test-|\.test/.test(file))
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("\n");
}

describe("docs/api.md", () => {
  test("names every problem, and where it is explained", () => {
    for (const code of Object.keys(problems)) {
      expect(api).toContain(`[\`${code}\`](errors/${code}.md)`);
    }
  });

  test("has every endpoint", () => {
    const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
      readFileSync(openApiFile, "utf8"),
    );
    for (const [path, methods] of Object.entries(document.paths)) {
      const written = path.replaceAll(/\{(\w+)\}/g, ":$1");
      for (const method of Object.keys(methods)) {
        expect(api).toContain(`\`${method.toUpperCase()} ${written}\``);
      }
    }
  });

  test("names every platform's word", () => {
    for (const word of platformWords) expect(api).toContain(`\`${word}\``);
  });
});

test("docs/metrics.md explains every metric, and no other", () => {
  const metrics = createMetrics({
    queueDepth: () => 0,
    ingest: () => null,
    mastodonStream: () => null,
    archive: {
      archive: {
        onDamage: () => {},
        upkeep: async () => null,
        coverage: async () => [],
        stats: async () => Promise.reject(new Error("not asked for")),
      },
      clock: systemClock,
      coverageSlackMs: 0,
      liveSinceMs: () => null,
    },
    process: { version: "0", threads: () => [], disk: async () => null },
    isStoreFull: () => false,
    nodes: { nodes: () => [], isInsecure: () => false },
    waitingDeliveries: async () => 0,
    monthPostReads: async () => 0,
  });
  const explained = [...page("metrics.md").matchAll(/^\| `(\w+)` \|/gm)];
  expect(explained.map(([, name]) => name).sort()).toEqual([...metrics.names()].sort());
});
