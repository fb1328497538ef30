import { randomBytes } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decompressZstd } from "./zstd-frames.ts";

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function decompressed(bytes: Buffer, size: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of decompressZstd(cut(bytes, size))) pieces.push(piece);
  return Buffer.concat(pieces);
}

const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);

test("all zstd frames are decompressed with any piece size", async () => {
  const frame = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(null),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { maxLength: 5 }),
      fc.integer({ min: 1, max: 60 }),
      async (frames, size) => {
        const file = Buffer.concat(
          frames.map((bytes) => (bytes === null ? skippable : zstdCompressSync(bytes))),
        );
        const content = Buffer.concat(frames.filter((bytes) => bytes !== null));
        expect((await decompressed(file, size)).equals(content)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("a zstd file larger than every buffer is decompressed", async () => {
  const content = Buffer.concat([randomBytes(3_000_000), Buffer.alloc(5_000_000, "x")]);
  const file = Buffer.concat([zstdCompressSync(content), zstdCompressSync(content)]);
  const out = await decompressed(file, 65_536);
  expect(out.equals(Buffer.concat([content, content]))).toBe(true);
});

test.each(["a missing end", "garbage after a frame"])(
  "a zstd file with %s is rejected",
  async (what) => {
    const frame = zstdCompressSync(Buffer.from("hello"));
    const file =
      what === "a missing end"
        ? frame.subarray(0, -3)
        : Buffer.concat([frame, Buffer.from("garbage")]);
    await expect(decompressed(file, 65_536)).rejects.toThrow();
  },
);

test("zstd decompression does not wait for a reader that stopped early", async () => {
  const file = zstdCompressSync(Buffer.alloc(50_000_000, "x"));
  for await (const piece of decompressZstd(cut(file, 1_000))) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
});
