import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platforms } from "../posts/post.ts";
import {
  type CursorScope,
  decryptCursor,
  encryptCursor,
  fitsInCursor,
  maxCursorLength,
} from "./cursor.ts";

const secret = createHash("sha256").update("a secret").digest();

const scope: CursorScope = {
  accountId: "one",
  platform: "social",
  type: "social-api",
  method: "searchbyquery",
  canonicalQuery: "(comet lang:en)",
};

const position = {
  after: { id: 1_860_000_000_000_000_001n, platform: "bluesky" },
  fromMs: 1_700_000_000_000,
  toMs: 1_700_000_604_800,
  asOfMs: 1_700_000_604_800,
  requestedBounds: { startMs: null, endMs: 1_700_000_604_800 },
} as const;

const cursor = encryptCursor(secret, { ...scope, ...position });

const mismatch = expect.objectContaining({ code: "cursor_mismatch", status: 400 });
const invalid = expect.objectContaining({ code: "cursor_invalid", status: 400 });

test("a cursor decrypts to its position, whatever the position is", () => {
  const anyPosition = fc.record({
    after: fc.record({
      id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      platform: fc.constantFrom(...platforms),
    }),
    fromMs: fc.option(fc.maxSafeInteger()),
    toMs: fc.maxSafeInteger(),
    asOfMs: fc.maxSafeInteger(),
    requestedBounds: fc.record({
      startMs: fc.option(fc.maxSafeInteger()),
      endMs: fc.option(fc.maxSafeInteger()),
    }),
  });
  fc.assert(
    fc.property(anyPosition, (any) => {
      const text = encryptCursor(secret, { ...scope, ...any });
      expect(decryptCursor(secret, text, scope)).toEqual(any);
    }),
  );
});

test("a cursor contains the hash by which posts in the same millisecond are sorted", () => {
  const uriHash = "00ff".repeat(8);
  const after = { ...position.after, uriHash };
  const text = encryptCursor(secret, { ...scope, ...position, after });
  expect(decryptCursor(secret, text, scope)).toEqual({ ...position, after });
});

test("equal positions have equal cursors, which are short, opaque and safe in a header", () => {
  expect(encryptCursor(secret, { ...scope, ...position })).toBe(cursor);
  expect(cursor).toMatch(/^[\w-]{1,150}$/);
  expect(Buffer.from(cursor, "base64url").includes("comet")).toBe(false);
});

test("a cursor from a release without `within_time:` is evaluated as of the end of its window", () => {
  const earlierCursor =
    "olbM4tjW9vK2u-dvhuEYikRObqZyIaHHI2Is0-zuvFz6qMX1a4TT6KfMoMsQFYgbK4T1sAJpIYLx7_GlwmTvsuahO6pIrdeY9YovlGkMhVNQNG9rMQo";
  expect(decryptCursor(secret, earlierCursor, scope)).toEqual({
    ...position,
    asOfMs: position.toMs,
  });
});

test.each([
  { accountId: "two" },
  { platform: "x" },
  { type: "social" },
  { method: "searchbyfullarchive" },
  { canonicalQuery: "(comet lang:fr)" },
] as const)("a cursor is invalid for another search: %o", (other) => {
  expect(() => decryptCursor(secret, cursor, { ...scope, ...other })).toThrow(mismatch);
});

test("a cursor with any bit flipped is invalid", () => {
  const bytes = Buffer.from(cursor, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flippedBytes = Buffer.from(bytes);
    flippedBytes[bit >> 3] = (flippedBytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => decryptCursor(secret, flippedBytes.toString("base64url"), scope)).toThrow(invalid);
  }
});

test("another store's cursor and any other text are refused", () => {
  const otherSecret = createHash("sha256").update("another").digest();
  expect(() => decryptCursor(otherSecret, cursor, scope)).toThrow(invalid);
  for (const text of ["", `${cursor}=`, ` ${cursor}`, cursor.slice(1), `${cursor}AAAA`]) {
    expect(() => decryptCursor(secret, text, scope)).toThrow(invalid);
  }
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String()), (text) => {
      expect(() => decryptCursor(secret, text, scope)).toThrow(invalid);
    }),
  );
});

describe("a cursor into a platform's pages", () => {
  const times = {
    fromMs: null,
    toMs: 5,
    asOfMs: 5,
    requestedBounds: { startMs: null, endMs: null },
  };
  const positions = fc.record({
    platform: fc.constantFrom(...platforms),
    credentialId: fc.option(fc.uuid()),
    cursor: fc.option(fc.string({ unit: "binary", maxLength: 300 })),
    lastKey: fc.option(fc.string({ unit: "binary", maxLength: 100 })),
    skip: fc.nat(),
  });
  const pagePosition = {
    platform: "x",
    credentialId: null,
    cursor: "b26v89c",
    lastKey: null,
    skip: 0,
  } as const;
  const pageCursor = encryptCursor(secret, {
    ...scope,
    ...times,
    after: null,
    position: pagePosition,
  });

  test("a cursor into a platform's pages decrypts to its position", () => {
    fc.assert(
      fc.property(positions, (position) => {
        fc.pre(fitsInCursor(position));
        const text = encryptCursor(secret, { ...scope, ...times, after: null, position });
        expect(text.length).toBeLessThanOrEqual(maxCursorLength);
        expect(decryptCursor(secret, text, scope)).toEqual({
          ...times,
          after: null,
          position,
        });
      }),
    );
  });

  test("a cursor into a platform's pages that an earlier version created decrypts to its position", () => {
    const text =
      "CL5L1CX0KnY4OWcnG9cBmt8pLu1I5CT96EWeO6D8AwTgsj0pCNn3ppMKOMefoU8426hHE6xkjtdCFPLMPBywRg_Hjfu4XLiTyMc6mUlc8h6IZor6Mnrs69YWq_330U9ze4vFps87sOYiKyw9i1vZDAD2IFv_m6D_zqKfoT4Y_JPmx7vobd4Gkrbcups4wz_qCpoTIWD09sVqX7phjOF4Be6p0LXJp4O7WDb_nmLZsvIEm8_bjZbvTgivOdtyD2iW6dh3beqkhT-rfzw";
    const search = {
      accountId: "one",
      platform: "x",
      type: "social",
      method: "getfollowers",
      canonicalQuery: "nasa",
    } as const;
    expect(decryptCursor(Buffer.alloc(32, 1), text, search)).toEqual({
      ...times,
      requestedBounds: { startMs: null, endMs: 7 },
      after: null,
      position: pagePosition,
    });
  });

  test("a cursor into a platform's pages contains the platform's page token, up to a maximum length", () => {
    const latest = { ...times, fromMs: -8.64e15, toMs: 8.64e15, asOfMs: 8.64e15 };
    const bounds = { startMs: -8.64e15, endMs: 8.64e15 };
    const makePosition = (length: number) => ({ ...pagePosition, cursor: "c".repeat(length) });
    const maxLength = Math.max(
      ...Array.from({ length: maxCursorLength }, (_, length) => length).filter((length) =>
        fitsInCursor(makePosition(length)),
      ),
    );
    expect(maxLength).toBeGreaterThan(2_000);
    const content = {
      ...scope,
      ...latest,
      requestedBounds: bounds,
      after: null,
      position: makePosition(maxLength),
    };
    const text = encryptCursor(secret, content);
    expect(text.length).toBeLessThanOrEqual(maxCursorLength);
    expect(decryptCursor(secret, text, scope).position?.cursor).toHaveLength(maxLength);
  });

  test("a cursor into a platform's pages is invalid for another search and after any change", () => {
    expect(Buffer.from(pageCursor, "base64url").includes("b26v89c")).toBe(false);
    const other = { ...scope, accountId: "two" };
    expect(() => decryptCursor(secret, pageCursor, other)).toThrow(mismatch);
    const bytes = Buffer.from(pageCursor, "base64url");
    for (let index = 0; index < bytes.length; index += 1) {
      const flippedBytes = Buffer.from(bytes);
      flippedBytes[index] = (flippedBytes[index] ?? 0) ^ 1;
      expect(() => decryptCursor(secret, flippedBytes.toString("base64url"), scope)).toThrow(
        invalid,
      );
      const truncatedCursor = bytes.subarray(0, index).toString("base64url");
      expect(() => decryptCursor(secret, truncatedCursor, scope)).toThrow(invalid);
    }
  });
});
