import fc from "fast-check";
import { expect, test } from "vitest";
import { isHandle, parseAtUri, tidMs } from "./at-uri.ts";

test("an at:// uri has an account, a collection and a key", () => {
  expect(parseAtUri("at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k")).toEqual({
    did: "did:plc:abc",
    collection: "app.bsky.feed.post",
    rkey: "3mptbyoeyc22k",
  });
});

test.each([
  "at://alice.example/app.bsky.feed.post/3mptbyoeyc22k",
  "at://did:plc:abc/app.bsky.feed.post",
  "at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k/more",
  "at://did:plc:abc/app.bsky.feed.post/..",
  "at://did:plc:abc/app.bsky.feed.post/a b",
  "at://did:plc:abc/post/3mptbyoeyc22k",
  "https://bsky.app/profile/alice/post/3mptbyoeyc22k",
  "",
])("%j is not a valid at:// uri", (text) => {
  expect(parseAtUri(text)).toBeNull();
});

test("a TID contains the time of its record", () => {
  expect(new Date(tidMs("3mptbyoeyc22k") ?? 0).toISOString().slice(0, 16)).toBe("2026-07-04T14:38");
  expect(tidMs("2222222222222")).toBe(0);
  for (const key of ["self", "3mptbyoeyc22", "zzzzzzzzzzzzz", "3mptbyoeyc221"]) {
    expect(tidMs(key)).toBeNull();
  }
});

test("a Bluesky handle is a host name", () => {
  for (const handle of ["alice.bsky.social", "a-b.example", "xn--caf-dma.example"]) {
    expect(isHandle(handle)).toBe(true);
  }
  for (const handle of ["alice", ".alice.example", "alice.example.", "a_b.example", "a..b", ""]) {
    expect(isHandle(handle)).toBe(false);
  }
});

test("very long hostile uris and handles are rejected", () => {
  fc.assert(
    fc.property(fc.constantFrom("a", "a.", "-", "%", ":", "a-."), (piece) => {
      const long = piece.repeat(8192);
      for (const text of [long, `at://did:plc:${long}/a.b.c/${long}`]) {
        expect(parseAtUri(text)).toBeNull();
        expect(isHandle(text)).toBe(false);
      }
    }),
  );
});
