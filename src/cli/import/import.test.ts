import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { interruption } from "./import.ts";
import { authorHandle, columnMap, formatNames, importFormat } from "./import-format.ts";

const reason = new EarshotError("interrupted", "interrupted by SIGINT", {
  hint: "run the command again; imports and backfills resume",
});

test("an interrupted import gives the hint to run it again, or to send standard input again from its start", () => {
  expect(interruption(reason, "posts.ndjson")).toBe(reason);
  expect(interruption(reason, "-")).toMatchObject({
    code: "interrupted",
    message: reason.message,
    hint: expect.stringMatching(/^send the input again from its start/),
  });
});

describe("the format of an import", () => {
  test("the format of an import implies the platform, or requires one", () => {
    const platforms = formatNames.map((format) => {
      const isForAnyPlatform = format === "ndjson" || format === "csv";
      return importFormat(isForAnyPlatform ? { format, platform: "mastodon" } : { format }, 1_000)
        .platform;
    });
    expect(platforms).toEqual(["mastodon", "mastodon", "x", "x", "mastodon", "bluesky"]);
    expect(() => importFormat({ format: "csv" }, 1_000)).toThrow(
      "'--platform <name>' not specified",
    );
    expect(() => importFormat({ format: "x-api", platform: "bluesky" }, 1_000)).toThrow(
      "--format x-api is for x, not for bluesky",
    );
  });

  test("the format of an import permits --columns and --author only if it uses them", () => {
    const ndjson = { format: "ndjson", platform: "x" } as const;
    expect(() => importFormat({ ...ndjson, columns: new Map() }, 1_000)).toThrow(
      "--columns requires --format csv",
    );
    expect(() => importFormat({ ...ndjson, author: "ann" }, 1_000)).toThrow(
      "--author requires --format csv, x-archive or bluesky-car",
    );
  });

  test("--columns maps columns as FIELD=COLUMN", () => {
    expect([...columnMap("text=Tweet body, created_at=a=b")]).toEqual([
      ["text", "Tweet body"],
      ["created_at", "a=b"],
    ]);
    expect(() => columnMap("text")).toThrow("It must be FIELD=COLUMN");
    expect(() => columnMap("body=text")).toThrow('Unknown field "body". Use one of id, uri');
    expect(() => columnMap("text=a,text=b")).toThrow("text is repeated");
    expect(authorHandle("@ann")).toBe("ann");
    expect(() => authorHandle("a b")).toThrow("It must be a handle");
  });

  test("every import format is documented in docs/import.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/import.md"), "utf8");
    for (const format of formatNames) expect(page).toContain(`| \`${format}\` |`);
    const headings = [...page.matchAll(/^### (\S+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(formatNames.filter((format) => format !== "ndjson"));
  });
});
