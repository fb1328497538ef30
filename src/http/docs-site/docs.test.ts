import { readdirSync, readFileSync } from "node:fs";
import { diagnosticCodes } from "@earshot/query/tree";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../lib/clock.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { problemPage } from "../problems/page.ts";
import { problemCodes, problems } from "../problems/problems.ts";
import { errorsPage, withProblems } from "../problems/reference-page.ts";
import { openApiFile } from "../routes/ops/openapi.ts";
import { platformWords } from "../submission/source-types.ts";

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
const api = page("api.md");
const errorsFolder = new URL("../../../docs/errors/", import.meta.url);

describe("docs/errors", () => {
  test("docs/errors lists the problems that the code defines", () => {
    const text = readFileSync(errorsPage, "utf8");
    expect(text, "npm run docs updates the page").toBe(withProblems(text));
  });

  test("docs/errors has no file for a generated problem page", () => {
    const pages = ["README.md", "details.md", "job-failures.md", "warnings.md"];
    expect(readdirSync(errorsFolder).sort()).toEqual(pages);
  });

  test.each(problemCodes)(
    "the problem page of %s has a title, a status, a cause, a fix and an example",
    (code) => {
      const { status, title, retryable } = problems[code];
      const text = problemPage(code);
      expect(text.startsWith(`# ${title}\n\nStatus ${status}, code \`${code}\`. `)).toBe(true);
      expect(text.includes("The same request can succeed later.")).toBe(retryable);
      const chapters = text.split(/^## /m).slice(1);
      expect(chapters.map((chapter) => chapter.split("\n")[0])).toEqual([
        "Cause",
        "Fix",
        "Example",
      ]);
      for (const chapter of chapters) expect(chapter.length).toBeGreaterThan(50);
    },
  );

  test("problems are ordered by status and have unique titles", () => {
    const statuses = problemCodes.map((code) => problems[code].status);
    expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
    const titles = problemCodes.map((code) => problems[code].title);
    expect(titles).toEqual([...new Set(titles)]);
  });

  test("docs/errors names no unknown setting", () => {
    const settings = page("configuration.md") + page("configuration-advanced.md");
    for (const file of readdirSync(errorsFolder)) {
      for (const [name] of page(`errors/${file}`).matchAll(/EARSHOT_[A-Z_]+/g)) {
        expect(settings, file).toContain(`\`${name}\``);
      }
    }
  });
});

describe("other codes", () => {
  // A row can explain several codes.
  const rows = (name: string) =>
    [...page(name).matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \| .{10,} \|$/gm)].flatMap(
      ([, cell = ""]) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code = ""]) => code),
    );
  const pages = ["errors/details", "errors/warnings", "errors/job-failures", "nodes"];
  const explainedCodes = pages.flatMap((name) => rows(`${name}.md`));
  const source = ["http", "jobs", "accounts", "search", "upstream", "platforms", "remote"]
    .map(readSource)
    .join("\n");

  test("the documentation explains the code of each error detail, warning and failure in the source", () => {
    const validationSource = readFileSync(
      new URL("../schemas/validation.ts", import.meta.url),
      "utf8",
    );
    const usedCodes = [
      ...source.matchAll(/\bcode: "([a-z_]+)"/g),
      ...validationSource.matchAll(/return "([a-z_]+)";/g),
    ].map(([, code = ""]) => code);
    const schemaCode = "custom";
    const knownCodes = new Set([
      ...explainedCodes,
      ...Object.keys(diagnosticCodes),
      ...Object.keys(problems),
      schemaCode,
    ]);
    expect(usedCodes.length).toBeGreaterThan(15);
    expect(usedCodes.filter((code) => !knownCodes.has(code))).toEqual([]);
  });

  test("every explained code exists in the source", () => {
    const wholeSource = `${source}\n${readSource("lib")}\n${readSource("archive")}`;
    expect(explainedCodes.length).toBeGreaterThan(20);
    expect(explainedCodes.filter((code) => !wholeSource.includes(`"${code}"`))).toEqual([]);
  });

  test("each code is explained once per page", () => {
    for (const name of ["details", "warnings", "job-failures"]) {
      const codes = rows(`errors/${name}.md`);
      expect(codes).toEqual([...new Set(codes)]);
    }
  });
});

function readSource(name: string): string {
  const folder = new URL(`../../${name}/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/(?:^|\/)test-|\.test/.test(file))
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("\n");
}

describe("docs/api.md", () => {
  test("docs/api.md lists every endpoint", () => {
    const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
      readFileSync(openApiFile, "utf8"),
    );
    for (const [path, methods] of Object.entries(document.paths)) {
      const documentedPath = path.replaceAll(/\{(\w+)\}/g, ":$1");
      for (const method of Object.keys(methods)) {
        expect(api).toContain(`\`${method.toUpperCase()} ${documentedPath}\``);
      }
    }
  });

  test("docs/api.md names every platform word", () => {
    for (const word of platformWords) expect(api).toContain(`\`${word}\``);
  });
});

test("docs/metrics.md explains every metric, and no others", () => {
  const metrics = createMetrics({
    queueDepth: () => 0,
    ingest: () => null,
    mastodonStream: () => null,
    archive: {
      archive: {
        onDamage: () => {},
        compactionState: async () => null,
        coverage: async () => [],
        stats: async () => Promise.reject(new Error("not requested")),
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
  const explainedMetrics = [...page("metrics.md").matchAll(/^\| `(\w+)` \|/gm)];
  expect(explainedMetrics.map(([, name]) => name).sort()).toEqual([...metrics.names()].sort());
});
