import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ZipFile, zipArchive } from "../../../testkit/archives/zip-archive.ts";
import { readZipDirectory, zipMemberPieces } from "./zip.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-zip-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withArchive<T>(bytes: Buffer, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const path = join(folder, "a.zip");
  writeFileSync(path, bytes);
  const handle = await open(path, "r");
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

const decodeContents = (bytes: Buffer): Promise<Record<string, string>> =>
  withArchive(bytes, async (handle) => {
    const contents: Record<string, string> = {};
    for (const member of await readZipDirectory(handle, bytes.length, () => true)) {
      const pieces: Buffer[] = [];
      for await (const piece of zipMemberPieces(handle, member, () => {})) pieces.push(piece);
      contents[member.name] = Buffer.concat(pieces).toString("utf8");
    }
    return contents;
  });

const file = (name: string, text: string, overrides: Partial<ZipFile> = {}): ZipFile => ({
  name,
  content: Buffer.from(text),
  ...overrides,
});

describe("a zip archive", () => {
  test.each([
    ["compressed", {}],
    ["stored", { isStored: true }],
    ["with 64-bit sizes", { isLarge: true }],
  ])("a zip archive is read: %s", async (_form, more) => {
    const files = [file("data/a.js", "a".repeat(1_000), more), file("ü.txt", "", more)];
    expect(await decodeContents(zipArchive(files, "a comment"))).toEqual({
      "data/a.js": "a".repeat(1_000),
      "ü.txt": "",
    });
  });

  test.each([
    ["is encrypted", { flags: 1 }, "a in the archive is encrypted"],
    ["has a wrong checksum", { checksum: 7 }, "a in the archive is damaged"],
  ])("a zip archive is rejected when a file in it %s", async (_why, more, message) => {
    await expect(decodeContents(zipArchive([file("a", "text", more)]))).rejects.toThrow(message);
  });

  test("a truncated zip archive is rejected", async () => {
    const bytes = zipArchive([file("a", "text")]);
    await expect(decodeContents(bytes.subarray(0, -1))).rejects.toThrow("truncated");
  });

  test("a file in a zip archive yields no more than its directory declares", async () => {
    const bytes = zipArchive([file("a", "x".repeat(1_000_000))]);
    bytes.writeUInt32LE(10, bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
    let read = 0;
    const reading = withArchive(bytes, async (handle) => {
      const [member] = await readZipDirectory(handle, bytes.length, () => true);
      if (member === undefined) throw new Error("no member");
      for await (const piece of zipMemberPieces(handle, member, () => {})) read += piece.length;
    });
    await expect(reading).rejects.toThrow("a in the archive is damaged");
    expect(read).toBe(0);
  });

  test("only the requested files in a zip archive are read", async () => {
    const bytes = zipArchive([file("a", "1"), file("b", "2")]);
    const members = await withArchive(bytes, (handle) =>
      readZipDirectory(handle, bytes.length, (name) => name === "b"),
    );
    expect(members.map(({ name }) => name)).toEqual(["b"]);
  });

  test("a zip archive is rejected when too many files are requested, or its directory is larger than the file", async () => {
    const many = zipArchive(Array.from({ length: 10_001 }, () => file("a", "")));
    await expect(decodeContents(many)).rejects.toThrow("it contains too many matching files");
    const bytes = zipArchive([file("a", "text")]);
    bytes.writeUInt32LE(200_000_000, bytes.length - 22 + 12);
    await expect(decodeContents(bytes)).rejects.toThrow("its zip directory is damaged");
  });

  test("a zip archive with any byte changed yields the same content or an error", async () => {
    const bytes = zipArchive([file("a", "some text"), file("b", "other", { isStored: true })]);
    const position = fc.integer({ min: 0, max: bytes.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ by;
        const contents = await decodeContents(changed).catch((error: unknown) => error);
        if (contents instanceof Error) return;
        for (const text of Object.values(contents as Record<string, string>)) {
          expect(["some text", "other"]).toContain(text);
        }
      }),
      { numRuns: 200 },
    );
  });
});
