import { describe, expect, it } from "vitest";
import type { KeyListingResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import {
  countText,
  findPredecessors,
  inWords,
  keyEndText,
  limitsText,
  overlapText,
  remainingText,
} from "./texts.ts";

const account = { requests_per_second: 3, submissions_per_minute: 10 };
const noLimits = { requests_per_second: null, submissions_per_minute: null };

function key(overrides: Partial<KeyListingResponse>): KeyListingResponse {
  return {
    ...noLimits,
    id: "AAAAAAAA",
    name: "default",
    shown: "ear_AAAAAAAA_…",
    state: "active",
    methods: null,
    created_at: "2026-11-01T00:00:00.000Z",
    expires_at: null,
    revoked_at: null,
    used_at: null,
    used_from: null,
    successor_id: null,
    left: null,
    ...overrides,
  };
}

describe("texts about keys", () => {
  it("the texts about keys prefer a key's own limits to the account's", () => {
    expect(limitsText(noLimits, account)).toBe("3 per second, 10 searches per minute");
    expect(limitsText({ ...noLimits, submissions_per_minute: 1 }, account)).toBe(
      "3 per second, 1 search per minute",
    );
    expect(limitsText(noLimits, noLimits)).toBe("No limits");
  });

  it("the text about a key shows the remaining searches once some are used", () => {
    expect(remainingText(key({ left: { requests: 3, submissions: 8 } }), account)).toBe(
      "8 searches left this minute",
    );
    expect(remainingText(key({ left: { requests: 3, submissions: 0 } }), account)).toBe(
      "no searches left this minute",
    );
    expect(remainingText(key({ left: { requests: 3, submissions: 10 } }), account)).toBeNull();
    expect(remainingText(key({}), account)).toBeNull();
  });

  it("the texts about keys count live keys, and count a rotated key and its successor as one", () => {
    const keys = [
      key({ id: "BBBBBBBB" }),
      key({ state: "expiring", successor_id: "BBBBBBBB" }),
      key({ state: "revoked" }),
      key({ state: "expired" }),
    ];
    expect(countText({ keys, max_keys: 5, limits: account })).toBe("1 of 5 keys");
    const keysAfterExpiry = [
      key({ id: "BBBBBBBB", state: "expired" }),
      key({ state: "expiring", successor_id: "BBBBBBBB" }),
    ];
    expect(countText({ keys: keysAfterExpiry, max_keys: 5, limits: account })).toBe("1 of 5 keys");
  });

  it("the predecessors of a key are the rotated keys that are still valid", () => {
    const predecessor = key({ state: "expiring", successor_id: "BBBBBBBB" });
    const successor = key({ id: "BBBBBBBB" });
    expect(findPredecessors(successor, [successor, predecessor])).toEqual([predecessor]);
    expect(findPredecessors(successor, [successor, { ...predecessor, state: "expired" }])).toEqual(
      [],
    );
    expect(findPredecessors(predecessor, [successor, predecessor])).toEqual([]);
  });

  it("the text about an ended key states how it ended", () => {
    expect(keyEndText(key({ state: "revoked" }))).toBe("Revoked");
    expect(keyEndText(key({ state: "expired" }))).toBe("Expired");
    expect(keyEndText(key({ state: "expired", successor_id: "BBBBBBBB" }))).toBe("Rotated");
  });

  it("the text about a rotated key states how much longer it is valid", () => {
    const nowMs = Date.parse("2026-11-22T12:00:00Z");
    expect(overlapText("2026-11-23T09:00:00Z", nowMs)).toBe("Rotated, expires in 21 h");
    expect(overlapText("2026-11-22T11:00:00Z", nowMs)).toBe("Rotated, expired");
  });

  it("the texts about keys write small numbers in words", () => {
    expect([5, 10, 11].map(inWords)).toEqual(["five", "ten", "11"]);
  });
});
