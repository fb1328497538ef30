import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import { zipArchive } from "../../../testkit/archives/zip-archive.ts";
import { systemClock } from "../../lib/clock.ts";
import { type ImportRequest, importFile } from "./import-file.ts";
import { defaultImportLimits } from "./settings.ts";

let folder: string;
let archive: MemoryArchive;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-import-"));
  archive = createMemoryArchive();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (id: number, overrides: object = {}) =>
  JSON.stringify({
    id: String(id),
    author: "alice",
    created_at: "2015-02-24T19:35:52Z",
    text: `post ${id}`,
    ...overrides,
  });
const listLines = (count: number, from = 1) =>
  Array.from({ length: count }, (_unused, index) => `${line(from + index)}\n`).join("");

function createFile(content: string | Buffer, name = "posts.ndjson"): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  return file;
}

const runImport = (file: string, overrides: Partial<ImportRequest> = {}) =>
  importFile({
    archive,
    analysis: archive.analysis,
    clock: systemClock,
    file,
    standardInput: Readable.from([]),
    platform: "x",
    dataDir: folder,
    covers: null,
    onBadLine: "reject",
    limits: defaultImportLimits,
    ...overrides,
  });

describe("reading a file", () => {
  test.each([
    ["plain", (text: string) => Buffer.from(text)],
    ["gzip", (text: string) => gzipSync(text)],
    [
      "gzip in two members",
      (text: string) => Buffer.concat([gzipSync(text.slice(0, 900)), gzipSync(text.slice(900))]),
    ],
    ["zstd", (text: string) => zstdCompressSync(text)],
    [
      "zstd in two frames",
      (text: string) =>
        Buffer.concat([zstdCompressSync(text.slice(0, 900)), zstdCompressSync(text.slice(900))]),
    ],
    [
      "with a byte order mark, CRLF and blank lines",
      (text: string) => Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n \r\n")}`),
    ],
  ])("an import reads a file (%s) from disk and from standard input", async (_form, encode) => {
    const bytes = encode(listLines(50));
    expect(await runImport(createFile(bytes))).toMatchObject({ imported: 50, rejected: 0 });
    archive = createMemoryArchive();
    const standardInput = Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]);
    expect(await runImport("-", { standardInput })).toMatchObject({ imported: 50, rejected: 0 });
    expect(archive.posts.size).toBe(50);
  });

  test("an import of an empty file stores nothing", async () => {
    expect(await runImport(createFile(""))).toMatchObject({ imported: 0, rejected: 0 });
    expect(await runImport("-")).toMatchObject({ imported: 0, rejected: 0 });
  });

  test("an import reports its progress in bytes of the file", async () => {
    const bytes = gzipSync(listLines(5_000));
    const postCounts: number[] = [];
    await runImport(createFile(bytes), {
      onProgress: ({ posts, bytesRead, totalBytes }) => {
        expect(totalBytes).toBe(bytes.length);
        expect(bytesRead).toBeLessThanOrEqual(bytes.length);
        postCounts.push(posts);
      },
    });
    expect(postCounts.at(-1)).toBe(5_000);
  });

  test.each([
    ["that is missing", "/nowhere/at/all.ndjson"],
    ["that is a folder", "/"],
  ])("an import rejects a file %s", async (_what, file) => {
    await expect(runImport(file)).rejects.toMatchObject({ code: "import_unreadable" });
  });

  test("an import rejects an archive of files", async () => {
    const tar = Buffer.alloc(1_024);
    tar.write("ustar", 257);
    const archives = [
      ["zip", zipArchive([{ name: "posts.ndjson", content: Buffer.from(listLines(1)) }])],
      ["tar", tar],
      ["tar", gzipSync(tar)],
    ] as const;
    for (const [kind, bytes] of archives) {
      await expect(runImport(createFile(bytes))).rejects.toMatchObject({
        code: "import_unreadable",
        message: expect.stringContaining(`it is a ${kind} archive, which this format cannot read`),
      });
    }
  });

  test("an import reports a truncated compressed file, after importing the posts before the truncation", async () => {
    const text = listLines(12_000);
    for (const bytes of [gzipSync(text), zstdCompressSync(text)]) {
      archive = createMemoryArchive();
      const file = createFile(bytes.subarray(0, -40));
      await expect(runImport(file)).rejects.toMatchObject({ code: "import_unreadable" });
      const stored = archive.posts.size;
      expect(stored % 5_000).toBeGreaterThan(0);
      if (bytes[0] === 0x1f) expect(stored).toBeGreaterThan(11_900);
      const earlierBatches = archive.batches.length;
      await expect(runImport(file)).rejects.toMatchObject({ code: "import_unreadable" });
      expect(archive.batches.slice(earlierBatches).flatMap(({ changes }) => changes)).toEqual([]);
    }
  });

  test("an import reads the complete lines of standard input before it fails", async () => {
    const standardInput = Readable.from(
      (async function* () {
        yield Buffer.from(listLines(3));
        throw new Error("the pipe broke");
      })(),
    );
    await expect(runImport("-", { standardInput })).rejects.toMatchObject({
      code: "import_unreadable",
    });
    expect(archive.posts.size).toBe(3);
  });
});

describe("a bad line", () => {
  const badLines = [
    "not json",
    '{"author":"a"}',
    line(7, { likes: "x" }),
    `${"[".repeat(17)}${"]".repeat(17)}`,
  ];

  test("a bad line is counted, reported and written to the rejected file, and the import continues", async () => {
    const file = createFile(`${line(1)}\n${badLines.join("\n")}\n${line(2)}\n`);
    const reported: string[] = [];
    const summary = await runImport(file, {
      onRejected: ({ file: name, line: number, reason }) =>
        reported.push(`${basename(name)}:${number}: ${reason}`),
    });
    expect(summary).toMatchObject({ imported: 2, rejected: 4, rejectedFile: `${file}.rejected` });
    expect(reported[0]).toMatch(/^posts\.ndjson:2: not valid JSON/);
    expect(reported.slice(1)).toEqual([
      "posts.ndjson:3: created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found none",
      'posts.ndjson:4: likes: expected a whole number of 0 or more, found "x"',
      "posts.ndjson:5: nested deeper than 16 levels",
    ]);
    expect(readFileSync(`${file}.rejected`, "utf8")).toBe(`${badLines.join("\n")}\n`);
  });

  test("a bad line that is not UTF-8 is written unchanged", async () => {
    const bytes = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    const file = createFile(Buffer.concat([bytes, Buffer.from(`\n${line(1)}`)]));
    expect(await runImport(file)).toMatchObject({ imported: 1, rejected: 1 });
    expect(readFileSync(`${file}.rejected`)).toEqual(Buffer.concat([bytes, Buffer.from("\n")]));
  });

  test("a bad line that is too long is skipped to its end", async () => {
    const longLine = line(2, { text: "x".repeat(5_000) });
    const file = createFile(`${line(1)}\n${longLine}\n${line(3)}\n`);
    const reasons: string[] = [];
    const summary = await runImport(file, {
      limits: { ...defaultImportLimits, maxLineBytes: 1_000 },
      onRejected: ({ reason }) => reasons.push(reason),
    });
    expect(summary).toMatchObject({ imported: 2, rejected: 1 });
    expect(reasons).toEqual(["longer than 1000 bytes"]);
  });

  test("bad lines of standard input are written to one file per run in the data folder", async () => {
    const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
    const run = (text: string) =>
      runImport("-", { clock, standardInput: Readable.from([Buffer.from(text)]) });
    const [first, second] = await Promise.all([run("bad 1\n"), run("bad 2\n")]);
    const files = [first.rejectedFile ?? "", second.rejectedFile ?? ""];
    expect(files.toSorted()).toEqual([
      join(folder, "stdin-2026-01-02T03-04-05.006Z-2.rejected"),
      join(folder, "stdin-2026-01-02T03-04-05.006Z.rejected"),
    ]);
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(["bad 1\n", "bad 2\n"]);
  });

  test("an import does not buffer an unlimited number of bad lines", async () => {
    const summary = await runImport(createFile("{}\n".repeat(12_000)));
    expect(summary.rejected).toBe(12_000);
    expect(archive.batches).toHaveLength(4);
  });

  test("an import of only blank lines writes only the end position", async () => {
    await runImport(createFile("\n".repeat(100_000)));
    expect(archive.batches).toHaveLength(1);
  });

  test("a bad line stops a strict import after the lines before it are written", async () => {
    const file = createFile(`${listLines(3)}bad\n${line(9)}\n`);
    await expect(runImport(file, { onBadLine: "stop" })).rejects.toMatchObject({
      code: "import_rejected",
      message: expect.stringContaining("posts.ndjson:4: not valid JSON"),
    });
    expect(archive.posts.size).toBe(3);
    expect(await runImport(file)).toMatchObject({ imported: 1, rejected: 1, resumedAfterLines: 3 });
  });
});

test("field names in messages cannot move the terminal's cursor", async () => {
  const file = createFile(`${line(1, { "\u001b[31mred\u009b": 1 })}\n`);
  expect([...(await runImport(file)).ignoredFields.keys()]).toEqual(["[31mred"]);
});

test("unknown fields of an import are counted by name", async () => {
  const file = createFile(
    `${line(1, { region: "x" })}\n${line(2, { region: "y", followers: 1 })}\n`,
  );
  const { ignoredFields } = await runImport(file);
  expect([...ignoredFields]).toEqual([
    ["region", 2],
    ["followers", 1],
  ]);
});

describe("an interrupted import", () => {
  test.each([
    ["plain", (text: string) => Buffer.from(text)],
    ["gzip", (text: string) => gzipSync(text)],
    ["zstd", (text: string) => zstdCompressSync(text)],
  ])("an interrupted import resumes after the last batch (%s)", async (_form, encode) => {
    const text = `${listLines(100)}bad 1\n${listLines(12_000, 101)}bad 2\n${listLines(20, 12_101)}`;
    const file = createFile(encode(text));
    let batches = 0;
    archive.beforeWrite = () => {
      batches += 1;
      if (batches === 2) throw new Error("killed");
    };
    await expect(runImport(file)).rejects.toThrow("killed");
    expect(archive.posts.size).toBe(4_999);

    archive.beforeWrite = () => {};
    const summary = await runImport(file);
    expect(summary).toMatchObject({ resumedAfterLines: 5_000, imported: 7_121, rejected: 1 });
    expect(archive.posts.size).toBe(12_120);
    expect(readFileSync(`${file}.rejected`, "utf8")).toBe("bad 1\nbad 2\n");
  });

  test("an interrupted import does not write a rejected line twice", async () => {
    const file = createFile(`${listLines(5_000)}bad\n${listLines(10, 5_001)}`);
    let batches = 0;
    archive.beforeWrite = () => {
      batches += 1;
      if (batches === 2) throw new Error("killed");
    };
    await expect(runImport(file)).rejects.toThrow("killed");
    archive.beforeWrite = () => {};
    await runImport(file);
    expect(readFileSync(`${file}.rejected`, "utf8")).toBe("bad\n");
  });

  test("an aborted import rejects with the signal's reason, and can be completed later", async () => {
    const controller = new AbortController();
    archive.beforeWrite = () => controller.abort(new Error("interrupted"));
    const file = createFile(listLines(12_000));
    await expect(runImport(file, { signal: controller.signal })).rejects.toThrow("interrupted");
    archive.beforeWrite = () => {};
    await runImport(file);
    expect(archive.posts.size).toBe(12_000);
  });
});

describe("a completed import", () => {
  test("a completed import is skipped when repeated", async () => {
    const file = createFile(listLines(10));
    await runImport(file);
    const second = await runImport(file);
    expect(second).toMatchObject({ alreadyImported: true, imported: 0, unchanged: 0 });
  });

  test("a completed import runs again if the file has changed, without duplicates", async () => {
    const file = createFile(listLines(10));
    await runImport(file);
    writeFileSync(file, listLines(9) + line(11));
    utimesSync(file, 1_800_000_000, 1_800_000_000);
    expect(await runImport(file)).toMatchObject({
      alreadyImported: false,
      imported: 1,
      unchanged: 9,
    });
  });

  test("a completed import for one platform does not count for another", async () => {
    const file = createFile(listLines(10));
    await runImport(file);
    expect(await runImport(file, { platform: "mastodon" })).toMatchObject({ imported: 10 });
  });
});

describe("declared coverage", () => {
  const covers = { fromMs: 1_000, toMs: 2_000 };
  const coverage = () => archive.batches.flatMap((batch) => batch.coverage ?? []);
  const declaredCoverage = [
    {
      platform: "x",
      collection: "posts",
      account: null,
      source: "import",
      fromMs: 1_000,
      toMs: 2_000,
    },
  ];

  test("declared coverage is recorded with the last batch", async () => {
    const summary = await runImport(createFile(listLines(6_000)), { covers });
    expect(summary.coverage).toBe("added");
    expect(coverage()).toEqual(declaredCoverage);
    expect(archive.batches.at(-1)?.coverage).toEqual(declaredCoverage);
  });

  test("declared coverage is not recorded when the import fails", async () => {
    archive.beforeWrite = (batch) => {
      if (batch.coverage?.length) throw new Error("disk full");
    };
    await expect(runImport(createFile(listLines(10)), { covers })).rejects.toThrow("disk full");
    expect(coverage()).toEqual([]);
  });

  test("declared coverage is not recorded when lines were rejected", async () => {
    const file = createFile(`${listLines(3)}bad\n`);
    expect((await runImport(file, { covers })).coverage).toBe("withheld");
    expect((await runImport(file, { covers })).coverage).toBe("withheld");
    expect(coverage()).toEqual([]);
  });

  test("an import reports the rejected lines of all runs of the file", async () => {
    const file = createFile(`${listLines(3)}bad\n`);
    expect(await runImport(file)).toMatchObject({ rejected: 1, totalRejected: 1 });
    expect(await runImport(file)).toMatchObject({ rejected: 0, totalRejected: 1 });
  });

  test("coverage can be declared for a file that was imported before", async () => {
    const file = createFile(listLines(3));
    await runImport(file);
    expect(await runImport(file, { covers })).toMatchObject({
      alreadyImported: true,
      coverage: "added",
    });
    expect(coverage()).toEqual(declaredCoverage);
  });
});

describe("the limits of an import", () => {
  test("an import is limited by the decompressed size", async () => {
    const limits = { ...defaultImportLimits, maxBytes: 10_000 };
    await expect(
      runImport(createFile(gzipSync(listLines(1_000))), { limits }),
    ).rejects.toMatchObject({
      code: "import_too_large",
      hint: expect.stringContaining("EARSHOT_IMPORT_MAX_BYTES"),
    });
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ])(
    "an import is limited by the compression ratio: a %s bomb ends it",
    async (_form, compress) => {
      const bomb = compress(Buffer.alloc(110 * 1024 ** 2));
      await expect(runImport(createFile(bomb))).rejects.toMatchObject({
        code: "import_too_large",
        hint: expect.stringContaining("EARSHOT_IMPORT_MAX_RATIO"),
      });
    },
  );

  test("an import limits its pending work to three batches", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let posts = 0;
    archive.beforeWrite = () => promise;
    const done = runImport(createFile(listLines(25_000)), {
      onProgress: (progress) => {
        posts = progress.posts;
      },
    });
    let turns = 0;
    while (turns < 300) {
      await new Promise((next) => setImmediate(next));
      turns += 1;
    }
    expect(posts).toBeLessThanOrEqual(15_000);
    resolve();
    expect(await done).toMatchObject({ imported: 25_000 });
  });
});
