import { expect, test } from "vitest";
import { type Capability, canRun, capabilityRank, type Work } from "./capability.ts";

const search = (platform: Work["platform"], type: Work["type"] = "social"): Work => ({
  platform,
  type,
  method: "searchbyquery",
});

const capabilities: readonly Capability[] = [
  { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
  { platform: "x", method: "searchbyquery", ways: ["credential"] },
  { platform: "x", method: "getfollowers", ways: ["credential"] },
];

test("a search of all platforms reaches those that have the method", () => {
  expect(capabilityRank(capabilities, search("social"))).toBe(2);
  expect(capabilityRank(capabilities, search("x"))).toBe(1);
  expect(canRun(capabilities, search("mastodon"))).toBe(false);
  expect(canRun([], search("social"))).toBe(false);
});

test("a type allows its access methods, and archives", () => {
  expect(capabilityRank(capabilities, search("social", "social-api"))).toBe(1);
  expect(capabilityRank(capabilities, search("social", "social-credential"))).toBe(2);
  expect(canRun(capabilities, search("x", "social-api"))).toBe(false);
});

test("a method that does not search reaches the platform of its request or page", () => {
  const archiveCapability: Capability = {
    platform: "x",
    method: "getfollowers",
    ways: ["archive"],
  };
  const fetch: Work = { platform: "social", type: "social", method: "getfollowers" };
  expect(canRun(capabilities, fetch)).toBe(false);
  const position = {
    platform: "x",
    credentialId: null,
    cursor: null,
    lastKey: null,
    skip: 0,
  } as const;
  expect(canRun(capabilities, { ...fetch, position })).toBe(true);
  expect(canRun(capabilities, { ...fetch, platform: "x" })).toBe(true);
  expect(canRun(capabilities, { ...fetch, platform: "bluesky" })).toBe(false);
  expect(capabilityRank(capabilities, { ...fetch, platform: "x" })).toBe(2);
  expect(capabilityRank([archiveCapability], { ...fetch, platform: "x" })).toBe(1);
});
