import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFrameReader } from "./frames.ts";

const dictionary = Buffer.from(
  '{"did":"did:plc:","time_us":,"kind":"commit","commit":{"rev":""'.repeat(8),
);
const event = '{"did":"did:plc:a","time_us":1783175888090631,"kind":"account"}';
const compressedEvent = zstdCompressSync(event, { dictionary });
const binary = (data: Buffer) => ({ data, isBinary: true });
const read = createFrameReader({ dictionary, maxBytes: 10_000 });

describe("a frame", () => {
  test("a text frame is returned unchanged, and a binary one is decompressed", () => {
    expect(read({ data: Buffer.from(event), isBinary: false })).toEqual({ text: event });
    expect(read(binary(compressedEvent))).toEqual({ text: event });
  });

  test("a binary frame is unreadable without its dictionary", () => {
    const without = createFrameReader({ dictionary: null, maxBytes: 10_000 });
    expect(without(binary(compressedEvent))).toBe("unreadable");
    const other = createFrameReader({ dictionary: Buffer.alloc(500, "x"), maxBytes: 10_000 });
    expect(other(binary(compressedEvent))).not.toEqual({ text: event });
  });

  test("decompression of a frame stops at the limit", () => {
    const bomb = zstdCompressSync(Buffer.alloc(50_000_000), { dictionary });
    expect(bomb.length).toBeLessThan(10_000);
    const before = process.memoryUsage.rss();
    for (let times = 0; times < 100; times += 1) expect(read(binary(bomb))).toBe("too-large");
    expect(process.memoryUsage.rss() - before).toBeLessThan(50_000_000);
  });

  test("a frame up to the limit is read", () => {
    const text = "x".repeat(10_000);
    expect(read(binary(zstdCompressSync(text, { dictionary })))).toEqual({ text });
    expect(read(binary(zstdCompressSync(`${text}x`, { dictionary })))).toBe("too-large");
  });

  test("reading a frame never throws, regardless of its bytes", () => {
    const corrupted = fc
      .array(fc.tuple(fc.nat(compressedEvent.length - 1), fc.nat(255)))
      .map((edits) => {
        const bytes = Buffer.from(compressedEvent);
        for (const [time, byte] of edits) bytes[time] = byte;
        return bytes;
      });
    const truncated = fc
      .nat(compressedEvent.length - 1)
      .map((end) => compressedEvent.subarray(0, end));
    const any = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(corrupted, truncated, any), (bytes) => {
        const found = read(binary(bytes));
        if (typeof found === "object") expect(found.text.length).toBeLessThanOrEqual(10_000);
        else expect(["too-large", "unreadable"]).toContain(found);
      }),
      { numRuns: 2_000 },
    );
  });
});
