import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { systemClock } from "../lib/clock.ts";
import { createMetrics } from "./metrics.ts";
import { problems } from "./problems.ts";
import { openApiFile } from "./routes/ops/openapi.ts";
import { platformWords } from "./source-types.ts";

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const api = page("api.md");

describe("docs/api.md", () => {
  test.each(Object.entries(problems))("explains the problem %s", (code, { status }) => {
    const row = new RegExp(
      `^\\| <a id="${code}"></a>\`${code}\` \\| ${status} \\| [A-Z].{20,} \\|$`,
      "m",
    );
    expect(api).toMatch(row);
  });

  test("explains no problem that there is not", () => {
    const explained = [...api.matchAll(/<a id="([a-z_]+)">/g)].map(([, code]) => code);
    expect(explained.sort()).toEqual(Object.keys(problems).sort());
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

  test.each([
    "outside_live_window",
    "empty_window",
    "max_results_lowered",
    "no_credential",
    "incomplete_coverage",
    "counts_incomplete",
    "labels_incomplete",
    "deadline_reached",
  ])("explains the warning %s", (code) => {
    expect(api).toMatch(new RegExp(`^\\| \`${code}\` \\| .{10,} \\|$`, "m"));
  });

  test("names every platform's word", () => {
    for (const word of platformWords) expect(api).toContain(`\`${word}\``);
  });
});

test("docs/metrics.md explains every metric, and no other", () => {
  const metrics = createMetrics({
    queueDepth: () => 0,
    ingest: () => null,
    upkeep: { ask: async () => null, clock: systemClock },
  });
  metrics.close();
  const explained = [...page("metrics.md").matchAll(/^\| `(earshot_\w+)` \|/gm)];
  expect(explained.map(([, name]) => name).sort()).toEqual([...metrics.names()].sort());
});
