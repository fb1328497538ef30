import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { collateral, nowMs, quoteBytes, tee } from "../../../testkit/nodes/evidence-under-test.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { KeyProvider } from "./event-log.ts";
import type { QuoteFacts } from "./evidence.ts";
import { hashPolicy, type NodePolicy, readPolicy } from "./policy.ts";
import { checkPolicy } from "./policy-check.ts";
import { rateQuote } from "./quote.ts";
import { openQuote } from "./signed-quote.ts";
import { makeMrConfigId } from "./simulated/simulated-tee.ts";

const basePolicy = tee.policy();
const [image] = basePolicy.images;
const policyText = (overrides: Record<string, unknown>) =>
  JSON.stringify({ ...basePolicy, ...overrides });

describe("a policy is read", () => {
  test("a policy is read as written, with digits in lower case", () => {
    expect(readPolicy(JSON.stringify(basePolicy))).toEqual(basePolicy);
    expect(readPolicy(policyText({ compose_hashes: ["AB".repeat(32)] })).compose_hashes).toEqual([
      "ab".repeat(32),
    ]);
    expect(readPolicy(policyText({ platforms: null })).platforms).toBeNull();
  });

  test("a policy has an id that depends on its content, but not on the order of its members", () => {
    const shuffledPolicy = Object.fromEntries(Object.entries(basePolicy).reverse());
    expect(hashPolicy(readPolicy(JSON.stringify(shuffledPolicy)))).toBe(hashPolicy(basePolicy));
    const ids = [
      basePolicy,
      tee.policy({ platforms: null }),
      tee.policy({ compose_hashes: [] }),
    ].map(hashPolicy);
    expect(new Set(ids).size).toBe(3);
    expect(hashPolicy(basePolicy)).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});

describe("an unreadable policy is refused with reason and position", () => {
  test.each([
    ["no JSON", "{", "", /JSON/],
    ["not an object", "[]", "", /object/],
    ["an additional member", policyText({ modes: ["tdx"] }), "", /modes/],
    ["no key providers", policyText({ key_providers: undefined }), "/key_providers", /array/],
    [
      "a key provider without a name",
      policyText({ key_providers: [{}] }),
      "/key_providers/0/name",
      /string/,
    ],
    ["a missing member", JSON.stringify({ ...basePolicy, images: undefined }), "/images", /array/],
    ["an unknown status", policyText({ tcb_status: ["Fine"] }), "/tcb_status/0", /UpToDate/],
    ["a revoked machine", policyText({ tcb_status: ["Revoked"] }), "/tcb_status/0", /UpToDate/],
    ["no status", policyText({ tcb_status: [] }), "/tcb_status", /Too small/],
    [
      "a negative number",
      policyText({ min_tcb_evaluation_number: -1 }),
      "/min_tcb_evaluation_number",
      /Too small/,
    ],
    [
      "a short hash",
      policyText({ compose_hashes: ["ab"] }),
      "/compose_hashes/0",
      /64 hexadecimal digits/,
    ],
    [
      "a platform id that is too long",
      policyText({ platforms: ["ab".repeat(17)] }),
      "/platforms/0",
      /32 hexadecimal digits/,
    ],
    [
      "two registers",
      policyText({ images: [{ ...image, rtmr: image?.rtmr.slice(1) }] }),
      "/images/0/rtmr",
      /3/,
    ],
    [
      "a program that was not measured",
      policyText({ images: [{ ...image, rtmr3: "00".repeat(48) }] }),
      "/images/0/rtmr3",
      /not all zero, or "unused"/,
    ],
  ])(
    "an unreadable policy is refused with reason and position: %s",
    (_name, written, pointer, words) => {
      try {
        readPolicy(written);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ name: "EarshotError", code: "policy_unreadable" });
        if (!(error instanceof EarshotError)) throw error;
        expect(error.message).toMatch(words);
        expect(error.hint).toMatch(/attestation\.md/);
        if (pointer !== "") expect(error.details[0]?.pointer).toBe(pointer);
      }
    },
  );

  test("arbitrary text is a policy or is refused without control characters in the message", () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(basePolicy)));
    const likelyPolicies = fc
      .dictionary(fc.constantFrom(...Object.keys(basePolicy), "__proto__", "x"), part)
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), likelyPolicies), (written) => {
        try {
          readPolicy(written);
        } catch (error) {
          expect(error).toMatchObject({ name: "EarshotError", code: "policy_unreadable" });
          if (error instanceof EarshotError) expect(error.message).not.toMatch(/[\p{Cc}]/u);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a machine is checked against the policy", () => {
  let facts: QuoteFacts;
  beforeAll(async () => {
    facts = await rateQuote(openQuote(quoteBytes(), tee.rootDer, nowMs), collateral, nowMs);
  });

  const usualBoot = { composeHash: tee.composeHash, keyProvider: { name: "simulated", id: null } };

  function verdict(
    policy: Partial<NodePolicy>,
    overrides: Partial<QuoteFacts> = {},
    boot: { composeHash: string; keyProvider: KeyProvider | null } | null = usualBoot,
  ) {
    try {
      return checkPolicy({ ...basePolicy, ...policy }, { ...facts, ...overrides }, boot);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      return error.details[0]?.code;
    }
  }
  const images = (overrides: object) => (image === undefined ? [] : [{ ...image, ...overrides }]);

  test("a machine is listed in the policy by either of its ids", () => {
    expect(verdict({})).toEqual({ image: "simulated", isListedPlatform: true });
    expect(verdict({ platforms: [facts.ppid ?? ""] })).toEqual({
      image: "simulated",
      isListedPlatform: true,
    });
  });

  test("any machine is accepted if the policy has no list of machines, and counts as unlisted", () => {
    expect(verdict({ platforms: null })).toEqual({ image: "simulated", isListedPlatform: false });
  });

  test("advisories and TCB statuses are accepted only if the policy accepts them", () => {
    const weakFacts = { tcbStatus: "SWHardeningNeeded", advisories: ["INTEL-SA-00001"] };
    const lenientPolicy = {
      tcb_status: ["UpToDate", "SWHardeningNeeded"] as NodePolicy["tcb_status"],
    };
    expect(verdict(lenientPolicy, weakFacts)).toBe("advisories");
    expect(
      verdict({ ...lenientPolicy, accepted_advisories: ["INTEL-SA-00001"] }, weakFacts),
    ).toMatchObject({
      image: "simulated",
    });
    expect(verdict({}, weakFacts)).toBe("tcb_status");
  });

  test.each([
    ["tcb_status", { tcb_status: ["OutOfDate" as const] }, {}, "tcb_status"],
    ["min_tcb_evaluation_number", { min_tcb_evaluation_number: 19 }, {}, "tcb_evaluation_outdated"],
    ["platforms", { platforms: ["ab".repeat(16)] }, {}, "platform_not_listed"],
    ["no platforms", { platforms: [] }, {}, "platform_not_listed"],
    ["no images", { images: [] }, {}, "image_unknown"],
    ["compose_hashes", { compose_hashes: ["ab".repeat(32)] }, {}, "compose_hash_unknown"],
    ["no compose_hashes", { compose_hashes: [] }, {}, "compose_hash_unknown"],
    ["debugging", {}, { tdAttributes: "0100001000000000" }, "td_attributes"],
    ["PKS", {}, { tdAttributes: "0000005000000000" }, "td_attributes"],
    ["KL", {}, { tdAttributes: "0000009000000000" }, "td_attributes"],
    ["PERFMON", {}, { tdAttributes: "0000001000000080" }, "td_attributes"],
    ["processor tracing", {}, { xfam: "e703060000000000" }, "xfam"],
    ["MROWNER", {}, { mrOwner: "01".repeat(48) }, "mr_owner"],
    ["MROWNERCONFIG", {}, { mrOwnerConfig: "01".repeat(48) }, "mr_owner_config"],
    [
      "a machine without an id",
      {},
      { ppid: null, platformInstanceId: null },
      "platform_not_listed",
    ],
  ])("a machine is refused by the policy: %s", (_name, policy, changed, code) => {
    expect(verdict(policy, changed)).toBe(code);
  });

  test.each([
    ["mrtd", { mrtd: "ab".repeat(48) }],
    ["rtmr/0", { rtmr: ["ab".repeat(48), ...(image?.rtmr.slice(1) ?? [])] }],
    ["rtmr/2", { rtmr: [...(image?.rtmr.slice(0, 2) ?? []), "ab".repeat(48)] }],
  ])("an image with another %s is refused by the policy", (_name, changed) => {
    expect(verdict({ images: images(changed) })).toBe("image_unknown");
  });

  test("a machine is refused if its key provider is not in the policy", () => {
    const verdictFor = (keyProvider: KeyProvider | null, key_providers = [{ name: "kms" }]) =>
      verdict({ key_providers }, {}, { ...usualBoot, keyProvider });
    const acceptance = { image: "simulated", isListedPlatform: true };
    expect(verdictFor({ name: "kms", id: "ab" })).toEqual(acceptance);
    expect(verdictFor({ name: "local-sgx", id: "ab" })).toBe("key_provider_unknown");
    expect(verdictFor({ name: "none", id: null })).toBe("key_provider_unknown");
    expect(verdictFor(null)).toBe("key_provider_unknown");
    expect(verdictFor({ name: "kms", id: "ab" }, [])).toBe("key_provider_unknown");
    const oneProvider = [{ name: "kms", id: "ab" }];
    expect(verdictFor({ name: "kms", id: "ab" }, oneProvider)).toEqual(acceptance);
    expect(verdictFor({ name: "kms", id: "cd" }, oneProvider)).toBe("key_provider_unknown");
    expect(verdictFor({ name: "kms", id: null }, oneProvider)).toBe("key_provider_unknown");
  });

  test("attribute bits that the policy allows can be set or clear", () => {
    const allBits = { td_attributes: "000000d000000080", xfam: "ffffffffffffffff" };
    const acceptance = { image: "simulated", isListedPlatform: true };
    expect(
      verdict(allBits, { tdAttributes: "000000d000000080", xfam: "e783060000000000" }),
    ).toEqual(acceptance);
    expect(verdict(allBits)).toEqual(acceptance);
  });

  test("a policy without masks allows PKS, CET and AMX, but not KL, PERFMON or tracing", () => {
    const { td_attributes: _a, xfam: _x, mr_config_versions: _v, ...policyFields } = basePolicy;
    const policy = readPolicy(JSON.stringify(policyFields));
    const acceptance = { image: "simulated", isListedPlatform: true };
    expect(verdict(policy, { tdAttributes: "0000005000000000", xfam: "e718060000000000" })).toEqual(
      acceptance,
    );
    expect(verdict(policy, { tdAttributes: "0000009000000000" })).toBe("td_attributes");
    expect(verdict(policy, { tdAttributes: "0000001000000080" })).toBe("td_attributes");
    expect(verdict(policy, { xfam: "e702860000000000" })).toEqual("xfam");
    expect(verdict(policy, { xfam: "e703060000000000" })).toEqual("xfam");
  });

  describe("MRCONFIGID", () => {
    const acceptance = { image: "simulated", isListedPlatform: true };
    const id = (version: 1 | 2 | 3, hash = tee.composeHash) => ({
      mrConfigId: makeMrConfigId(version, hash).toString("hex"),
    });
    const rtmr3 = () => ({ images: images({ rtmr3: facts.rtMr[3] ?? "" }) });

    test("MRCONFIGID can be zero or name the measured compose file", () => {
      expect(facts.mrConfigId).toBe(id(1).mrConfigId);
      expect(verdict({})).toEqual(acceptance);
      expect(verdict({}, { mrConfigId: "00".repeat(48) })).toEqual(acceptance);
    });

    test.each([
      ["another compose file", () => id(1, "ab".repeat(32))],
      ["bytes after the hash", () => ({ mrConfigId: `${id(1).mrConfigId.slice(0, -2)}01` })],
      ["an unknown version", () => ({ mrConfigId: `04${id(1).mrConfigId.slice(2)}` })],
      ["version 2, which the policy does not accept", () => id(2)],
      ["version 3, which the policy does not accept", () => id(3)],
    ])("MRCONFIGID is refused with %s", (_name, changed) => {
      expect(verdict({}, changed())).toBe("mr_config_id");
    });

    test("MRCONFIGID is refused if it names an allowed compose file other than the measured one", () => {
      const otherHash = "ab".repeat(32);
      const bothHashes = { compose_hashes: [tee.composeHash, otherHash] };
      expect(verdict(bothHashes, id(1, otherHash))).toBe("mr_config_id");
    });

    test("MRCONFIGID versions 2 and 3 are accepted if the policy permits it and a compose file was measured", () => {
      const versions: NodePolicy["mr_config_versions"] = [2, 3];
      expect(verdict({ mr_config_versions: versions }, id(2))).toEqual(acceptance);
      expect(verdict({ mr_config_versions: versions }, id(3))).toEqual(acceptance);
      expect(verdict({ mr_config_versions: versions })).toBe("mr_config_id");
      expect(verdict({ ...rtmr3(), mr_config_versions: versions }, id(3), null)).toBe(
        "mr_config_id",
      );
    });

    test("without an event log, MRCONFIGID cannot name a compose file that is not in the policy", () => {
      expect(verdict(rtmr3(), {}, null)).toEqual(acceptance);
      expect(verdict(rtmr3(), id(1, "ab".repeat(32)), null)).toBe("mr_config_id");
    });
  });

  test("an image that contains its program requires an unused RTMR3", () => {
    const factsWithoutProgram = { rtMr: [...facts.rtMr.slice(0, 3), "00".repeat(48)] };
    const unusedProgramPolicy = { images: images({ rtmr3: "unused" }) };
    expect(verdict(unusedProgramPolicy, factsWithoutProgram, null)).toEqual({
      image: "simulated",
      isListedPlatform: true,
    });
    expect(verdict(unusedProgramPolicy, {}, null)).toBe("app_not_measured");
    expect(verdict({}, factsWithoutProgram, null)).toBe("app_not_measured");
    expect(
      verdict({ images: images({ rtmr3: facts.rtMr[3] ?? "" }) }, factsWithoutProgram, null),
    ).toBe("app_not_measured");
  });

  test("an image that names RTMR3 accepts only that program, regardless of the event log", () => {
    const rtmr3 = facts.rtMr[3] ?? "";
    const zeroConfigId = { mrConfigId: "00".repeat(48) };
    expect(
      verdict({ images: images({ rtmr3 }), compose_hashes: [] }, zeroConfigId, null),
    ).toMatchObject({
      image: "simulated",
    });
    expect(verdict({ images: images({ rtmr3: "ab".repeat(48) }) })).toBe("app_not_measured");
    expect(verdict({ images: images({ rtmr3: "ab".repeat(48) }) }, {}, null)).toBe(
      "app_not_measured",
    );
    expect(verdict({}, {}, null)).toBe("app_not_measured");
  });
});
