import { describe, expect, test } from "vitest";
import { readLabel } from "./label.ts";

const source = "did:plc:ar7c4by46qjdydhdevvrndac";
const author = "did:plc:dclwtltrt2ggsryagfzk7dp4";
const post = `at://${author}/app.bsky.feed.post/3mptbyoeyc22k`;
const nowMs = Date.UTC(2026, 6, 4);
const label = { ver: 1, src: source, uri: post, val: "porn", cts: "2026-07-01T10:00:00.000Z" };
const labelWith = (part: object) => readLabel({ ...label, ...part }, nowMs);

describe("a label", () => {
  test("a label has a post, a source and a time", () => {
    expect(labelWith({})).toEqual({
      kind: "label",
      platform: "bluesky",
      subject: post,
      source,
      value: "porn",
      negated: false,
      createdMs: Date.UTC(2026, 6, 1, 10),
      expiresMs: null,
    });
  });

  test("a label can be negated, and can expire", () => {
    expect(labelWith({ neg: true, exp: "2027-01-01T00:00:00Z" })).toMatchObject({
      negated: true,
      expiresMs: Date.UTC(2027, 0, 1),
    });
  });

  test("a label on an account names the account's DID or profile", () => {
    for (const uri of [author, `at://${author}/app.bsky.actor.profile/self`]) {
      expect(labelWith({ uri, val: "!takedown" })).toMatchObject({
        subject: author,
        value: "!takedown",
      });
    }
  });

  test("a label dated in the future gets the current time, so that a later label can negate it", () => {
    expect(labelWith({ cts: "2999-01-01T00:00:00Z" })).toMatchObject({ createdMs: nowMs });
  });

  test.each([
    `at://${author}/app.bsky.graph.list/3l`,
    `at://${author}/app.bsky.actor.profile/other`,
    `at://${author}`,
    "https://example.com/",
    "",
    "x".repeat(100_000),
  ])("a label on an unsupported subject is ignored: %.40s", (uri) => {
    expect(labelWith({ uri })).toBe("unsupported");
  });

  test.each([
    { src: "mod.bsky.app" },
    { src: 1 },
    { uri: null },
    { val: "" },
    { val: 5 },
    { cts: "yesterday" },
    { cts: "2026-13-40T00:00:00Z" },
    { cts: undefined },
    { cts: "2".repeat(100_000) },
    { exp: "never" },
    { exp: null },
    { neg: "true" },
  ])("a label with %j is unreadable", (part) => {
    expect(labelWith(part)).toBe("unreadable");
  });

  test.each([null, 5, "label", [], [label]])("%j is not a label", (value) => {
    expect(readLabel(value, nowMs)).toBe("unreadable");
  });
});
