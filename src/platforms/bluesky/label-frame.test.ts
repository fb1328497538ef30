import { encode } from "@atcute/cbor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBoundedCbor } from "./block.ts";
import { readLabelFrame } from "./label-frame.ts";

const bounds = { maxLabels: 10 };
const readFrame = (header: unknown, body: unknown): Uint8Array =>
  Buffer.concat([encode(header), encode(body)]);
const labelsFrame = (body: object) => readFrame({ op: 1, t: "#labels" }, body);
const label = { src: "did:plc:a", uri: "did:plc:b", val: "porn", cts: "2026-07-01T10:00:00Z" };
const max = { depth: 8, items: 1_000 };

describe("a labeler frame", () => {
  test("a labeler frame contains labels and a sequence number", () => {
    expect(readLabelFrame(labelsFrame({ seq: 7, labels: [label, label] }), bounds)).toEqual({
      kind: "labels",
      seq: 7,
      labels: [label, label],
    });
  });

  test("a labeler frame may be an info frame or an error", () => {
    const notice = { name: "OutdatedCursor", message: "too old" };
    expect(readLabelFrame(readFrame({ op: 1, t: "#info" }, notice), bounds)).toEqual({
      kind: "info",
      ...notice,
    });
    const body = { error: "FutureCursor", message: "not there yet" };
    expect(readLabelFrame(readFrame({ op: -1 }, body), bounds)).toEqual({
      kind: "error",
      name: "FutureCursor",
      message: "not there yet",
    });
    expect(readLabelFrame(readFrame({ op: 1, t: "#more" }, {}), bounds)).toEqual({ kind: "other" });
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["only a header", encode({ op: 1, t: "#labels" })],
    ["half a body", labelsFrame({ seq: 7, labels: [label] }).subarray(0, -3)],
    ["data after the body", Buffer.concat([labelsFrame({ seq: 7, labels: [] }), encode(1)])],
    ["text", Buffer.from('{"op":1}')],
    ["another operation", readFrame({ op: 2, t: "#labels" }, { seq: 7, labels: [] })],
    ["no sequence number", labelsFrame({ labels: [] })],
    ["a negative sequence number", labelsFrame({ seq: -1, labels: [] })],
    ["a sequence number as text", labelsFrame({ seq: "7", labels: [] })],
    ["labels that are not a list", labelsFrame({ seq: 7, labels: {} })],
    ["a body that is a list", readFrame({ op: 1, t: "#labels" }, [])],
    ["more labels than allowed", labelsFrame({ seq: 7, labels: Array(11).fill({}) })],
    ["deep nesting", labelsFrame({ seq: 7, labels: [[[[[[[[[[1]]]]]]]]]] })],
  ])("a labeler frame with %s is unreadable", (_what, bytes) => {
    expect(readLabelFrame(bytes, bounds)).toMatchObject({ kind: "unreadable" });
  });

  test("reading a labeler frame never throws, regardless of its bytes", () => {
    const validBytes = labelsFrame({ seq: 7, labels: [label] });
    const corrupted = fc
      .array(fc.tuple(fc.nat(validBytes.length - 1), fc.nat(255)), { maxLength: 5 })
      .map((edits) => {
        const bytes = Buffer.from(validBytes);
        for (const [time, byte] of edits) bytes[time] = byte;
        return bytes;
      });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), corrupted), (bytes) => {
        expect(readLabelFrame(bytes, bounds)).toHaveProperty("kind");
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("CBOR bounds", () => {
  test("the CBOR bounds accept what an encoder writes", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.oneof(fc.maxSafeInteger(), fc.string(), fc.boolean(), fc.constant(null), fc.double()),
        fc.array(tie("any"), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie("any"), { maxKeys: 5 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (item) => {
        let bytes: Uint8Array;
        try {
          bytes = encode(item);
        } catch {
          return;
        }
        expect(isBoundedCbor(bytes, { depth: 8, items: 100_000 })).toBe(true);
        expect(isBoundedCbor(bytes.subarray(0, -1), { depth: 8, items: 100_000 })).toBe(false);
      }),
    );
  });

  test("the CBOR bounds reject nested lists that each claim all remaining bytes", () => {
    const bytes = Buffer.alloc(1_000_000);
    for (let index = 0; index + 5 <= bytes.length; index += 5) {
      bytes[index] = 0x9a;
      bytes.writeUInt32BE(bytes.length - index - 5, index + 1);
    }
    expect(isBoundedCbor(bytes, max)).toBe(false);
    expect(isBoundedCbor(bytes, { depth: 1_000_000, items: 1_000_000 })).toBe(false);
  });

  test.each([
    ["a list of indefinite length", [0x9f, 0x01, 0xff]],
    ["a text that claims more bytes than there are", [0x7a, 0xff, 0xff, 0xff, 0xff, 0x61]],
    ["a map with half a pair", [0xa1, 0x61, 0x61]],
    ["a reserved head", [0x1c]],
    ["a truncated number", [0x1b, 0, 0, 0]],
  ])("the CBOR bounds reject %s", (_what, bytes) => {
    expect(isBoundedCbor(Uint8Array.from(bytes), max)).toBe(false);
  });

  test("the CBOR bounds count items and depth", () => {
    expect(isBoundedCbor(encode([1, [2, [3]]]), { depth: 3, items: 6 })).toBe(true);
    expect(isBoundedCbor(encode([1, [2, [3]]]), { depth: 2, items: 6 })).toBe(false);
    expect(isBoundedCbor(encode([1, [2, [3]]]), { depth: 3, items: 5 })).toBe(false);
  });
});
