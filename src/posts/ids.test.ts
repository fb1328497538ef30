import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  idsWindow,
  idTimeMs,
  keyedNumber,
  lastId,
  lookupHash,
  lowestId,
  nextInMillisecond,
  nextMillisecondId,
  numberedId,
  parseXId,
  postTimeMs,
  uriHash,
  uriNumber,
  windowIds,
  xUri,
} from "./ids.ts";

const epochMs = 1288834974657;
const millisecond = fc.integer({ min: epochMs + 1, max: epochMs + 2 ** 41 - 2 });

describe("ID", () => {
  test("an X ID contains the time that X assigned", () => {
    expect(idTimeMs(1157939227653046272n)).toBe(Date.UTC(2019, 7, 4, 9));
    expect(lowestId(Date.UTC(2019, 7, 4, 9))).toBeLessThanOrEqual(1157939227653046272n);
  });

  test("an ID sorts by time and contains its millisecond", () => {
    fc.assert(
      fc.property(millisecond, millisecond, fc.bigInt(0n, 2n ** 22n - 1n), (a, b, number) => {
        expect(idTimeMs(numberedId(a, number))).toBe(a);
        if (a < b) expect(numberedId(a, number)).toBeLessThan(lowestId(b));
      }),
    );
  });

  test("an ID has time part 0 before the epoch, and never exceeds 63 bits", () => {
    expect(lowestId(Date.UTC(1, 0, 1))).toBe(0n);
    expect(lowestId(0)).toBe(0n);
    expect(lowestId(Date.UTC(2009, 5, 1))).toBe(0n);
    expect(lowestId(8.64e15) | (2n ** 22n - 1n)).toBe(lastId);
  });

  test("IDs wrap around within a millisecond, and the next millisecond starts right after its last ID", () => {
    const last = lowestId(epochMs + 5) | (2n ** 22n - 1n);
    expect(nextInMillisecond(last)).toBe(lowestId(epochMs + 5));
    expect(nextMillisecondId(last)).toBe(lowestId(epochMs + 6));
  });
});

describe("time of a post", () => {
  const nowMs = Date.UTC(2026, 0, 1);

  test("the time of a post is the claimed one, capped at the observed one", () => {
    expect(postTimeMs({ createdMs: 5, seenMs: 9 }, nowMs)).toBe(5);
    expect(postTimeMs({ createdMs: 9, seenMs: 5 }, nowMs)).toBe(5);
  });

  test("the time of a post is capped at the present only if unobserved", () => {
    expect(postTimeMs({ createdMs: nowMs + 5, seenMs: null }, nowMs)).toBe(nowMs);
    expect(postTimeMs({ createdMs: nowMs + 5, seenMs: nowMs + 9 }, nowMs)).toBe(nowMs + 5);
  });

  test("the time of a post is the observed one if the claim is unparseable, and 0 if there is neither", () => {
    expect(postTimeMs({ createdMs: null, seenMs: 7 }, nowMs)).toBe(7);
    expect(postTimeMs({ createdMs: null, seenMs: null }, nowMs)).toBe(0);
  });
});

describe("IDs of a window", () => {
  test("the IDs of a window include every post of the window, within the skew", () => {
    const skew = { minMs: -900, maxMs: 400 };
    fc.assert(
      fc.property(
        millisecond,
        fc.integer({ min: skew.minMs, max: skew.maxMs }),
        fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: null }),
        fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: null }),
        (written, off, before, after) => {
          const time = written + off;
          const window = windowIds(
            before === null ? null : time - before,
            after === null ? null : time + after,
            skew,
          );
          const id = numberedId(written, 77n);
          expect(window.low <= id && id <= window.high).toBe(true);
        },
      ),
    );
  });

  test("the IDs of a window include X's first numbers if the window begins before the epoch", () => {
    const window = windowIds(Date.UTC(2006, 2, 21), Date.UTC(2006, 2, 22), {
      minMs: 0,
      maxMs: 0,
    });
    expect(window.low).toBe(0n);
    expect(window.high).toBeGreaterThan(20n);
  });
});

describe("window of IDs", () => {
  const skew = { minMs: -900, maxMs: 400 };

  test("the window of IDs includes the time of every post with these IDs, within the skew", () => {
    fc.assert(
      fc.property(
        millisecond,
        fc.integer({ min: skew.minMs, max: skew.maxMs }),
        fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }), { nil: null }),
        fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }), { nil: null }),
        (written, off, before, after) => {
          const id = numberedId(written, 77n);
          const window = idsWindow(
            before === null ? null : id - before,
            after === null ? null : id + after,
            skew,
          );
          const time = written + off;
          expect(window.fromMs ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(time);
          expect(window.toMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(time);
        },
      ),
    );
  });

  test("the window of IDs has no start below the first ID with a time, and ends no earlier than that time", () => {
    const window = idsWindow(20n, 21n, { minMs: 0, maxMs: 0 });
    expect(window.fromMs).toBeNull();
    expect(window.toMs).toBeGreaterThan(Date.UTC(2010, 10, 4));
    expect(idsWindow(null, null, skew)).toEqual({ fromMs: null, toMs: null });
  });

  test("the window of IDs is no wider than the IDs and the skew", () => {
    const ms = Date.UTC(2026, 0, 1);
    expect(idsWindow(lowestId(ms), lowestId(ms + 5), skew)).toEqual({
      fromMs: ms - 900,
      toMs: ms + 5 + 1 + 400,
    });
  });
});

test("an X ID is converted to a uri and back, including beyond 2^53", () => {
  expect(parseXId(xUri(1157939227653046272n))).toBe(1157939227653046272n);
  expect(parseXId("https://x.com/i/status/12x")).toBeNull();
  expect(parseXId("at://did:plc:a/app.bsky.feed.post/1")).toBeNull();
});

test("the lookup hash of a uri depends on the archive's key, and its keyed number has at most 22 bits", () => {
  expect(lookupHash("a", "uri")).toBe(lookupHash("a", "uri"));
  expect(lookupHash("a", "uri")).not.toBe(lookupHash("b", "uri"));
  expect(keyedNumber("a", "uri")).toBeLessThan(2n ** 22n);
});

test("the number of a uri is the first 22 bits of its SHA-256", () => {
  const uri = "at://did:plc:a/app.bsky.feed.post/1";
  const digest = createHash("sha256").update(uri).digest();
  expect(uriNumber(uri)).toBe(BigInt(digest.readUInt32BE(0) >>> 10));
  expect(uriHash(uri)).toBe(digest.toString("hex").slice(0, 32));
});
