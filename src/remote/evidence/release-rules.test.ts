import { describe, expect, test } from "vitest";
import { tee } from "../../../testkit/nodes/evidence-under-test.ts";
import { hashPolicyId, readPolicy } from "./policy.ts";
import { releasesFor } from "./release-rules.ts";

const basePolicy = tee.policy();
const [hash = ""] = basePolicy.compose_hashes;
const rule = { platform: "mastodon", images: ["simulated"] };
const reading = (...credentials: object[]) =>
  readPolicy(JSON.stringify({ ...basePolicy, credentials }));
const allowed = (
  rules: object[],
  overrides: Partial<Parameters<typeof releasesFor>[1]> = {},
): readonly unknown[] =>
  releasesFor(reading(...rules).credentials ?? [], {
    kind: "tdx",
    image: "simulated",
    composeHash: hash,
    ...overrides,
  });

describe("a node may receive a credential", () => {
  test("a node may receive the deployment's credential if a rule names its image, or any owner's if the rule permits", () => {
    expect(allowed([rule])).toEqual([{ platform: "mastodon", owner: "deployment" }]);
    expect(allowed([rule, { ...rule, owner: "any" }])).toEqual([
      { platform: "mastodon", owner: "any" },
    ]);
  });

  test("a node receives no credential without a rule, with another image, or without an image", () => {
    expect(allowed([])).toEqual([]);
    expect(releasesFor([], { kind: "tdx", image: "simulated", composeHash: hash })).toEqual([]);
    expect(allowed([rule], { image: "other" })).toEqual([]);
    expect(allowed([rule], { image: null })).toEqual([]);
  });

  test("a node with simulated evidence receives a credential only if the rule names it, and one without evidence never", () => {
    expect(allowed([rule], { kind: "simulated" })).toEqual([]);
    expect(allowed([{ ...rule, evidence: ["simulated"] }], { kind: "simulated" })).toHaveLength(1);
    expect(allowed([{ ...rule, evidence: ["simulated"] }])).toEqual([]);
    expect(allowed([{ ...rule, evidence: ["tdx", "simulated"] }], { kind: "none" })).toEqual([]);
  });

  test("a node receives a credential only with a measured compose file that the rule names, if it names any", () => {
    const named = { ...rule, compose_hashes: [hash.toUpperCase()] };
    expect(allowed([named])).toHaveLength(1);
    expect(allowed([named], { composeHash: null })).toEqual([]);
    expect(allowed([named], { composeHash: "00".repeat(32) })).toEqual([]);
    expect(allowed([rule], { composeHash: null })).toHaveLength(1);
  });
});

describe("a policy", () => {
  test("reading a policy without rules does not change its id, but a rule does", () => {
    expect(hashPolicyId(readPolicy(JSON.stringify(basePolicy)))).toBe(hashPolicyId(basePolicy));
    expect(hashPolicyId(reading(rule))).not.toBe(hashPolicyId(basePolicy));
  });

  test.each([
    ["X, which bills", { ...rule, platform: "x" }, "/platform", /bills/],
    ["Bluesky", { ...rule, platform: "bluesky" }, "/platform", /only one process can renew/],
    [
      "an unknown image",
      { ...rule, images: ["else"] },
      "",
      /must be an image or compose file of this policy/,
    ],
    [
      "an unknown compose file",
      { ...rule, compose_hashes: ["00".repeat(32)] },
      "",
      /must be an image or compose file of this policy/,
    ],
    ["no image", { ...rule, images: [] }, "/images", /Too small/],
    ["no evidence", { ...rule, evidence: ["none"] }, "/evidence/0", /tdx/],
    ["an unknown owner", { ...rule, owner: "everyone" }, "/owner", /deployment/],
    ["another member", { ...rule, nodes: ["north"] }, "", /nodes/],
  ])(
    "a policy that releases credentials by %s is refused with its position",
    (_name, odd, position, reason) => {
      expect(() => reading(odd)).toThrowError(
        expect.objectContaining({
          code: "policy_unreadable",
          details: [
            expect.objectContaining({
              pointer: `/credentials/0${position}`,
              message: expect.stringMatching(reason),
            }),
          ],
        }),
      );
    },
  );
});
