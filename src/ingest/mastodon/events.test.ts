import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emulatedStatus } from "../../../testkit/emulators/mastodon/statuses.ts";
import { readMastodonEvent } from "./events.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const context = { host: "mastodon.example", nowMs };
const read = (value: unknown) =>
  readMastodonEvent({ data: Buffer.from(JSON.stringify(value)), isBinary: false }, context);
const update = (payload: unknown, event = "update") =>
  read({ stream: ["public"], event, payload: JSON.stringify(payload) });

test("a Mastodon post has its id on the server as an alias, and its author counts as looked up", () => {
  expect(update(emulatedStatus("12"))).toMatchObject({
    kind: "event",
    isSkipped: false,
    changes: [
      { kind: "looked-up", platform: "mastodon", userId: "7@mastodon.example", atMs: nowMs },
      { kind: "account", userId: "7@mastodon.example", status: "active", observedMs: nowMs },
      {
        kind: "upsert",
        alias: "import:mastodon:12@mastodon.example",
        post: {
          uri: "https://other.example/users/ann/statuses/12",
          createdMs: Date.UTC(2026, 10, 21, 10),
          seenMs: nowMs,
          origin: "stream",
        },
      },
    ],
  });
});

test("a Mastodon post with a future time gets the time of its receipt", () => {
  const event = update(emulatedStatus("12", { created_at: "2036-01-01T00:00:00.000Z" }));
  expect(event).toMatchObject({ changes: [{}, {}, { post: { seenMs: nowMs } }] });
});

test("a boost is skipped if the author of the original does not agree to be indexed, and that author is hidden", () => {
  const original = (indexable: boolean) => emulatedStatus("60", {}, { id: "8", indexable });
  expect(update(emulatedStatus("6", { reblog: original(true) }))).toMatchObject({
    isSkipped: false,
  });
  expect(update(emulatedStatus("6", { reblog: original(false) }))).toMatchObject({
    isSkipped: true,
    changes: [
      { kind: "account", userId: "7@mastodon.example", status: "active" },
      { kind: "account", userId: "8@mastodon.example", status: "opted-out" },
    ],
  });
});

test("an edit that must not be indexed deletes the stored post under both names", () => {
  const edited = { visibility: "unlisted", edited_at: "2026-11-21T11:00:00.000Z" };
  const revision = "2026-11-21T11:00:00.000Z 2026-11-21T12:00:00.000Z";
  expect(update(emulatedStatus("12", edited), "status.update")).toMatchObject({
    isSkipped: true,
    changes: [
      { kind: "account" },
      { kind: "delete-stored", name: "import:mastodon:12@mastodon.example", revision },
      { kind: "delete-stored", name: "https://other.example/users/ann/statuses/12", revision },
    ],
  });
});

test("a deletion event identifies the post by its id of digits or letters", () => {
  for (const id of ["12", "01HXKCVAG1MGKZRY6Y5VBH4T8R", "9n5yyQ-a_b"]) {
    expect(read({ event: "delete", payload: id })).toMatchObject({
      changes: [{ kind: "delete-stored", name: `import:mastodon:${id}@mastodon.example` }],
    });
  }
});

describe("unreadable frames", () => {
  test.each([
    ["text that is not JSON", "x"],
    ["not an object", []],
    ["an event without a name", { payload: "{}" }],
    ["a deletion of nothing", { event: "delete" }],
    ["a deletion of a malformed id", { event: "delete", payload: "../1 2" }],
    ["a deletion of a long id", { event: "delete", payload: "1".repeat(100) }],
    ["a malformed post", { event: "update", payload: "{}" }],
  ])("an unreadable frame is ignored: %s", (_what, value) => expect(read(value)).toBeNull());

  test("a binary frame and bytes that are not text are ignored", () => {
    const data = Buffer.from([0xff, 0xfe]);
    expect(readMastodonEvent({ data, isBinary: true }, context)).toBeNull();
    expect(readMastodonEvent({ data, isBinary: false }, context)).toBeNull();
  });
});

test("a rejected stream is reported with its status", () => {
  expect(read({ error: "Unknown stream type", status: 400 })).toEqual({
    kind: "refusal",
    status: 400,
  });
  expect(read({ error: ["?"], status: "all" })).toEqual({ kind: "refusal", status: null });
});

test("reading an event never throws, regardless of the fields of its status", () => {
  const names = Object.keys(emulatedStatus("1"));
  const accountNames = Object.keys(emulatedStatus("1").account);
  const changed = fc.tuple(
    fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
    fc.dictionary(fc.constantFrom(...accountNames), fc.jsonValue()),
    fc.constantFrom("update", "status.update", "delete", "x"),
  );
  fc.assert(
    fc.property(changed, ([status, account, event]) => {
      update(emulatedStatus("1", status, account), event);
      update({ ...emulatedStatus("1"), ...status }, event);
    }),
    { numRuns: 300 },
  );
});
