import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readStreamEvent } from "./stream-event.ts";

const did = "did:plc:dclwtltrt2ggsryagfzk7dp4";
const timeUs = 1_783_175_888_090_631;
const commit = {
  rev: "3mptbypcq372f",
  operation: "create",
  collection: "app.bsky.feed.post",
  rkey: "3mptbyoeyc22k",
  record: { text: "hello" },
};
const read = (event: object) => readStreamEvent(JSON.stringify(event));

describe("an event of the stream", () => {
  test("brings a post, an edit or a delete", () => {
    for (const operation of ["create", "update"]) {
      expect(
        read({ did, time_us: timeUs, kind: "commit", commit: { ...commit, operation } }),
      ).toMatchObject({
        timeUs,
        change: { kind: "upsert", post: { text: "hello", seenMs: 1_783_175_888_090 } },
      });
    }
    const { record: _record, ...rest } = commit;
    const deleting = { ...rest, operation: "delete" };
    expect(read({ did, time_us: timeUs, kind: "commit", commit: deleting })).toMatchObject({
      change: {
        kind: "delete",
        uri: `at://${did}/app.bsky.feed.post/3mptbyoeyc22k`,
        revision: "3mptbypcq372f",
      },
    });
  });

  test("brings a handle", () => {
    const identity = { did, handle: "alice.example", seq: 1, time: "2023-01-01T00:00:00Z" };
    expect(read({ did, time_us: timeUs, kind: "identity", identity })).toMatchObject({
      change: {
        kind: "handle",
        userId: did,
        handle: "alice.example",
        observedMs: 1_783_175_888_090,
      },
    });
  });

  test.each([
    { kind: "identity", identity: { did } },
    { kind: "identity", identity: { did, handle: "handle.invalid" } },
    { kind: "account", account: { active: true } },
    { kind: "commit", commit: { ...commit, collection: "app.bsky.feed.like" } },
    { kind: "something new" },
  ])("moves time alone: %j", (event) => {
    expect(read({ did, time_us: timeUs, ...event })).toMatchObject({ timeUs, change: null });
  });

  test.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no account", JSON.stringify({ time_us: timeUs, kind: "commit", commit })],
    [
      "a time that is a sequence number",
      JSON.stringify({ did, time_us: 17, kind: "commit", commit }),
    ],
    [
      "no record",
      JSON.stringify({ did, time_us: timeUs, kind: "commit", commit: { ...commit, record: null } }),
    ],
    [
      "a bad key",
      JSON.stringify({ did, time_us: timeUs, kind: "commit", commit: { ...commit, rkey: "a/b" } }),
    ],
    [
      "a bad operation",
      JSON.stringify({
        did,
        time_us: timeUs,
        kind: "commit",
        commit: { ...commit, operation: "x" },
      }),
    ],
  ])("is unreadable with %s", (_what, frame) => {
    expect(readStreamEvent(frame)).toHaveProperty("fault");
  });

  test("never throws", () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(did, timeUs, "commit", "create"));
    const names = [
      "did",
      "time_us",
      "kind",
      "commit",
      "identity",
      "rev",
      "operation",
      "rkey",
      "record",
    ];
    const object = fc.dictionary(fc.constantFrom(...names), value);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          object.map((event) => JSON.stringify({ did, time_us: timeUs, ...event })),
        ),
        (frame) => {
          expect(readStreamEvent(frame)).toBeTypeOf("object");
        },
      ),
    );
  });
});
