import { describe, expect, test } from "vitest";
import { tee } from "../../../testkit/nodes/evidence-under-test.ts";
import { hashPolicy, readPolicy } from "./policy.ts";
import { releasesFor } from "./release-rules.ts";

const basePolicy = tee.policy();
const [hash = ""] = basePolicy.compose_hashes;
const rule = { platform: "mastodon", images: ["simulated"] };
const readPolicyWith = (...credentials: object[]) =>
  readPolicy(JSON.stringify({ ...basePolicy, credentials }));
const listReleases = (
  rules: object[],
  overrides: Partial<Parameters<typeof releasesFor>[1]> = {},
): readonly unknown[] =>
  releasesFor(readPolicyWith(...rules).credentials ?? [], {
    kind: "tdx",
    image: "simulated",
    composeHash: hash,
    ...overrides,
  });

describe("a node can receive a credential", () => {
  test("a node can receive the deployment's credential if a rule names its image, or any owner's if the rule permits", () => {
    expect(listReleases([rule])).toEqual([{ platform: "mastodon", owner: "deployment" }]);
    expect(listReleases([rule, { ...rule, owner: "any" }])).toEqual([
      { platform: "mastodon", owner: "any" },
    ]);
  });

  test("a node receives no credential without a rule, with another image, or without an image", () => {
    expect(listReleases([])).toEqual([]);
    expect(releasesFor([], { kind: "tdx", image: "simulated", composeHash: hash })).toEqual([]);
    expect(listReleases([rule], { image: "other" })).toEqual([]);
    expect(listReleases([rule], { image: null })).toEqual([]);
  });

  test("a node with simulated evidence receives a credential only if the rule names it, and one without evidence never", () => {
    expect(listReleases([rule], { kind: "simulated" })).toEqual([]);
    expect(
      listReleases([{ ...rule, evidence: ["simulated"] }], { kind: "simulated" }),
    ).toHaveLength(1);
    expect(listReleases([{ ...rule, evidence: ["simulated"] }])).toEqual([]);
    expect(listReleases([{ ...rule, evidence: ["tdx", "simulated"] }], { kind: "none" })).toEqual(
      [],
    );
  });

  test("a node receives a credential only with a measured compose file that the rule names, if it names any", () => {
    const ruleWithHash = { ...rule, compose_hashes: [hash.toUpperCase()] };
    expect(listReleases([ruleWithHash])).toHaveLength(1);
    expect(listReleases([ruleWithHash], { composeHash: null })).toEqual([]);
    expect(listReleases([ruleWithHash], { composeHash: "00".repeat(32) })).toEqual([]);
    expect(listReleases([rule], { composeHash: null })).toHaveLength(1);
  });
});

describe("a policy", () => {
  test("reading a policy without rules does not change its id, but a rule does", () => {
    expect(hashPolicy(readPolicy(JSON.stringify(basePolicy)))).toBe(hashPolicy(basePolicy));
    expect(hashPolicy(readPolicyWith(rule))).not.toBe(hashPolicy(basePolicy));
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
    "a policy with an invalid release rule is refused with the position of the error: %s",
    (_name, odd, position, reason) => {
      expect(() => readPolicyWith(odd)).toThrowError(
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
