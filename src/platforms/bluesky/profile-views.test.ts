import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { profilesUrl, readProfileViews } from "./profile-views.ts";

const alice = "did:plc:alice";
const labeler = "did:plc:labeler";
const nowMs = Date.UTC(2026, 6, 4);
const request = { sources: new Set([labeler]), observedMs: nowMs };
const cts = "2026-01-01T00:00:00Z";
const findChanges = (view: object) =>
  readProfileViews({ profiles: [{ did: alice, ...view }] }, [alice], request).get(alice) ?? [];

test("the URL for requesting profiles names each account", () => {
  expect(profilesUrl("https://appview.example/", [alice, "did:web:b.example"]).href).toBe(
    "https://appview.example/xrpc/app.bsky.actor.getProfiles?actors=did%3Aplc%3Aalice&actors=did%3Aweb%3Ab.example",
  );
});

describe("the labels of an account", () => {
  test("the labels on an account include the account's own until they expire", () => {
    const own = { src: alice, uri: `at://${alice}/app.bsky.actor.profile/self`, cts };
    const labels = [
      { ...own, val: "porn" },
      { ...own, val: "negated", neg: true },
      { ...own, val: "expired", exp: "2026-07-03T00:00:00Z" },
      { ...own, val: "later", exp: "2026-07-05T00:00:00Z" },
      { ...own, uri: `at://${alice}/app.bsky.feed.post/a`, val: "on a post" },
    ];
    expect(findChanges({ labels })).toEqual([
      {
        kind: "profile",
        platform: "bluesky",
        userId: alice,
        observedMs: nowMs,
        name: null,
        labels: ["porn", "later"],
      },
    ]);
  });

  test("the labels on an account include those from trusted labelers, including negations", () => {
    const label = { src: labeler, uri: alice, val: "!hide", cts };
    expect(findChanges({ labels: [label, { ...label, val: "spam", neg: true }] })).toMatchObject([
      { kind: "label", source: labeler, subject: alice, value: "!hide", negated: false },
      { kind: "label", value: "spam", negated: true },
      { kind: "profile", labels: [] },
    ]);
  });

  test("only labels on requested accounts are read, and malformed parts never throw", () => {
    const word = fc.constantFrom(alice, labeler, "did:plc:other", "alice.example", cts, true);
    const name = fc.constantFrom(
      ...["did", "handle", "displayName", "labels", "src", "uri", "val", "cts", "neg", "exp"],
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        word,
        fc.jsonValue(),
        fc.dictionary(name, tie("any")),
        fc.array(tie("any"), { maxLength: 5 }),
      ),
    }));
    const view = fc.record({ did: word, labels: any, handle: any, displayName: any });
    const responses = fc.oneof(any, fc.record({ profiles: fc.array(view, { maxLength: 4 }) }));
    fc.assert(
      fc.property(responses, (response) => {
        const changes = readProfileViews(response, [alice], request);
        expect([...changes.keys()].filter((account) => account !== alice)).toEqual([]);
        for (const change of changes.get(alice) ?? []) {
          expect("userId" in change ? change.userId : "subject" in change && change.subject).toBe(
            alice,
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
