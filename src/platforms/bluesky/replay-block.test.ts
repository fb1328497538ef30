import fc from "fast-check";
import { expect, test } from "vitest";
import { blockBytes } from "../../../testkit/upstreams/replay-server.ts";
import { replayRows } from "./replay-block.ts";
import { replayFrame } from "./replay-frame.ts";

const word = (max: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", ".", ":"), maxLength: max });
const rows = fc.array(
  fc.record({
    seq: fc.nat(),
    witnessedUs: fc.integer({ min: 1, max: 2 ** 50 }),
    indexedUs: fc.integer({ min: 0, max: 2 ** 50 }),
    kind: fc.integer({ min: 0, max: 255 }),
    did: word(300),
    collection: word(255),
    rkey: word(255),
    rev: word(13),
    payload: fc.string().map((text) => ({ text })),
  }),
  { maxLength: 20 },
);

test("encoded replay rows are read back unchanged, and their stream time defaults to when the server saw them", () => {
  fc.assert(
    fc.property(rows, (written) => {
      const rowsRead = [...replayRows(blockBytes(written))];
      expect(
        rowsRead.map(({ payload, ...row }) => ({ ...row, bytes: payload.length > 0 })),
      ).toEqual(
        written.map(({ payload: _payload, indexedUs, ...row }) => ({
          ...row,
          timeUs: indexedUs || row.witnessedUs,
          bytes: true,
        })),
      );
    }),
  );
});

test("a replay block that is truncated, overlong or inconsistent is rejected", () => {
  const row = { seq: 1, witnessedUs: 2, kind: 1, did: "did:plc:a", payload: { text: "x" } };
  const block = blockBytes([row, row]);
  for (let end = 0; end < block.length; end += 1) {
    expect(() => [...replayRows(block.subarray(0, end))], String(end)).toThrow();
  }
  expect(() => [...replayRows(Buffer.concat([block, Buffer.alloc(1)]))]).toThrow();
  const many = Buffer.from(block);
  many.writeUInt32LE(0xffffffff, 0);
  expect(() => [...replayRows(many)]).toThrow();
});

test("arbitrary bytes are rejected, or read as a replay block with at most as many rows as bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        expect([...replayRows(bytes)].length).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";

test.each([
  [1, "create"],
  [2, "update"],
  [3, "delete"],
  [7, "update"],
])("a replay row of kind %d becomes a commit of the stream: %s", (kind, operation) => {
  const commit = { collection: "app.bsky.feed.post", rkey: "3k", rev: "3l" };
  const record = { $type: "app.bsky.feed.post", text: "hé" };
  const [row] = replayRows(
    blockBytes([{ seq: 1, witnessedUs: 7, kind, did, ...commit, payload: record }]),
  );
  if (row === undefined) throw new Error("no row");
  const reported = { ...commit, operation, ...(operation === "delete" ? {} : { record }) };
  expect(JSON.parse(replayFrame(row) ?? "")).toEqual({
    did,
    time_us: 7,
    kind: "commit",
    commit: reported,
  });
});

test("replay rows about accounts and handles become stream events, and rows of other kinds yield nothing", () => {
  const getFrame = (kind: number, payload: unknown) => {
    const [row] = replayRows(blockBytes([{ seq: 1, witnessedUs: 7, kind, did, payload }]));
    return row === undefined ? null : JSON.parse(replayFrame(row) ?? "null");
  };
  expect(getFrame(4, { did, handle: "ann.example", seq: 3, time: "x" })).toMatchObject({
    kind: "identity",
    identity: { did, handle: "ann.example" },
  });
  expect(getFrame(5, { did, active: false, status: "takendown", seq: 3, time: "x" })).toMatchObject(
    {
      kind: "account",
      account: { active: false, status: "takendown" },
    },
  );
  expect(getFrame(6, { did })).toBeNull();
  expect(getFrame(99, { did })).toBeNull();
});
