import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collateral, nowMs, tee, verdictOn } from "../../../testkit/nodes/evidence-under-test.ts";
import type { Collateral } from "./evidence.ts";
import { makeRevocationList } from "./simulated/authority.ts";
import { signRaw } from "./simulated/quote-writer.ts";
import { createSimulatedTee } from "./simulated/simulated-tee.ts";

const otherTee = createSimulatedTee({ nowMs });
const otherCollateral = otherTee.collateral();
const day = 86_400_000;

const withLastBitFlipped = (hex: string) =>
  `${hex.slice(0, -1)}${(Number.parseInt(hex.slice(-1), 16) ^ 1).toString(16)}`;

const verdictOnParts = (overrides: Partial<Collateral>) =>
  verdictOn({ collateral: { ...collateral, ...overrides } });
const verdictOnFields = (fields: Parameters<typeof tee.collateral>[0]) =>
  verdictOn({ collateral: tee.collateral(fields) });

describe("changed collateral is refused", () => {
  test.each([
    ["pck_crl_issuer_chain", otherCollateral.pck_crl_issuer_chain, "crl_issuer"],
    ["pck_crl_issuer_chain", "", "chain_malformed"],
    ["root_ca_crl", withLastBitFlipped(collateral.root_ca_crl), "crl_signature"],
    ["root_ca_crl", otherCollateral.root_ca_crl, "crl_signature"],
    ["root_ca_crl", collateral.pck_crl, "crl_issuer"],
    ["root_ca_crl", "", "crl_malformed"],
    ["root_ca_crl", "deadbeef", "crl_malformed"],
    ["root_ca_crl", `${collateral.root_ca_crl}00`, "crl_malformed"],
    ["root_ca_crl", "30".repeat(300_000), "collateral_malformed"],
    ["pck_crl", withLastBitFlipped(collateral.pck_crl), "crl_signature"],
    ["pck_crl", otherCollateral.pck_crl, "crl_signature"],
    ["pck_crl", collateral.root_ca_crl, "crl_issuer"],
    ["pck_crl", "", "crl_malformed"],
    ["pck_crl", "no digits", "collateral_malformed"],
    [
      "pck_crl",
      collateral.pck_crl.replace(/(034[0-9a-f])00(30[0-9a-f]{130,150})$/, "$101$2"),
      "crl_malformed",
    ],
    ["tcb_info_issuer_chain", otherCollateral.tcb_info_issuer_chain, "chain_root"],
    ["tcb_info_issuer_chain", "hello", "chain_malformed"],
    ["tcb_info_issuer_chain", tee.chain, "collateral_signer"],
    ["tcb_info", collateral.tcb_info.replace("UpToDate", "upToDate"), "tcb_info_signature"],
    ["tcb_info", `${collateral.tcb_info} `, "tcb_info_signature"],
    ["tcb_info_signature", otherCollateral.tcb_info_signature, "tcb_info_signature"],
    ["tcb_info_signature", withLastBitFlipped(collateral.tcb_info_signature), "tcb_info_signature"],
    ["tcb_info_signature", "00".repeat(64), "tcb_info_signature"],
    ["tcb_info_signature", "", "tcb_info_signature"],
    ["tcb_info_signature", `${collateral.tcb_info_signature}00`, "tcb_info_signature"],
    ["qe_identity_issuer_chain", otherCollateral.qe_identity_issuer_chain, "chain_root"],
    ["qe_identity_issuer_chain", tee.chain, "collateral_signer"],
    [
      "qe_identity",
      collateral.qe_identity.replace('"isvsvn":4', '"isvsvn":1'),
      "qe_identity_signature",
    ],
    [
      "qe_identity_signature",
      withLastBitFlipped(collateral.qe_identity_signature),
      "qe_identity_signature",
    ],
    ["qe_identity_signature", collateral.tcb_info_signature, "qe_identity_signature"],
  ])("collateral with a changed %s is refused (%#)", async (name, value, code) => {
    expect(await verdictOnParts({ [name]: value })).toBe(code);
  });

  test.each(Object.keys(collateral))("collateral without %s is refused", async (name) => {
    expect(await verdictOnParts({ [name]: undefined })).toBe("collateral_malformed");
  });

  test("collateral that is changed at any byte outside its certificate chains is refused", async () => {
    const names = Object.keys(collateral) as (keyof Collateral)[];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.nat(),
        fc.integer({ min: 33, max: 126 }),
        async (name, index, code) => {
          const text = collateral[name];
          const position = index % text.length;
          const changedText = `${text.slice(0, position)}${String.fromCharCode(code)}${text.slice(position + 1)}`;
          // Hexadecimal is case-insensitive; certificates compare by content.
          const isSame = /crl$|signature$/.test(name)
            ? changedText.toLowerCase() === text.toLowerCase()
            : changedText === text;
          const verdict = await verdictOnParts({ [name]: changedText });
          if (!name.endsWith("chain") || verdict !== "accepted") {
            expect(verdict === "accepted").toBe(isSame);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test("collateral that a machine signed instead of Intel is refused", async () => {
    const tcb_info_signature = signRaw(tee.pckKey, Buffer.from(collateral.tcb_info)).toString(
      "hex",
    );
    expect(await verdictOnParts({ tcb_info_issuer_chain: tee.chain, tcb_info_signature })).toBe(
      "collateral_signer",
    );
  });

  test("collateral with a revocation list that another key signed in the issuer's name is refused", async () => {
    const forger = { name: "Simulated PCK Platform CA", privateKey: otherTee.pckKey };
    const list = makeRevocationList(forger, [], { fromMs: nowMs - day, toMs: nowMs + day });
    expect(await verdictOnParts({ pck_crl: list.toString("hex") })).toBe("crl_signature");
  });
});

describe("collateral outside its validity is refused", () => {
  const past = { fromMs: nowMs - 30 * day, toMs: nowMs - 1_000 };
  const future = { fromMs: nowMs + 1_000, toMs: nowMs + 30 * day };
  const iso = (ms: number) => new Date(ms).toISOString();

  test("collateral is refused after it has expired, and before it is valid", async () => {
    expect(await verdictOnFields({ inForce: past })).toBe("crl_outdated");
    expect(await verdictOnFields({ inForce: future })).toBe("crl_outdated");
  });

  test.each([
    ["tcbInfo", "nextUpdate", iso(nowMs - 1_000)],
    ["tcbInfo", "issueDate", iso(nowMs + 1_000)],
    ["qeIdentity", "nextUpdate", iso(nowMs - 1_000)],
    ["qeIdentity", "issueDate", iso(nowMs + 1_000)],
  ])("collateral whose %s has an invalid %s is refused", async (part, member, value) => {
    expect(await verdictOnFields({ [part]: { [member]: value } })).toBe("collateral_outdated");
  });

  test.each(["soon", "", null, 5])("collateral with %j as a date is refused", async (value) => {
    expect(await verdictOnFields({ tcbInfo: { nextUpdate: value } })).toBe("collateral_malformed");
  });

  test("collateral is valid only by the verifier's clock", async () => {
    const shortLivedCollateral = tee.collateral({
      inForce: { fromMs: nowMs - 1_000, toMs: nowMs + 1_000 },
    });
    expect(await verdictOn({ collateral: shortLivedCollateral })).toBe("accepted");
    expect(await verdictOn({ collateral: shortLivedCollateral, nowMs: nowMs + 2_000 })).toBe(
      "crl_outdated",
    );
    expect(await verdictOn({ collateral: shortLivedCollateral, nowMs: nowMs - 2_000 })).toBe(
      "crl_outdated",
    );
  });
});

describe("a revoked certificate is refused", () => {
  test.each(["pck", "platformCa", "tcbSigning"] as const)(
    "a revoked certificate is refused: %s",
    async (who) => {
      expect(await verdictOnFields({ revoked: [who] })).toBe("certificate_revoked");
    },
  );
});

describe("collateral that rates the machine badly is refused", () => {
  const level = (status: string) => [
    { tcb: { isvsvn: 2 }, tcbDate: "2026-01-01T00:00:00Z", tcbStatus: status },
  ];
  const module = {
    id: "TDX_01",
    mrsigner: "00".repeat(48),
    attributes: "00".repeat(8),
    attributesMask: "ff".repeat(8),
  };

  test.each([
    ["out of date", { tcbStatus: "OutOfDate" }, "tcb_status"],
    ["in need of hardening", { tcbStatus: "SWHardeningNeeded" }, "tcb_status"],
    ["in need of configuration", { tcbStatus: "ConfigurationNeeded" }, "tcb_status"],
    ["revoked", { tcbStatus: "Revoked" }, "tcb_revoked"],
    ["an unknown rating", { tcbStatus: "Fine" }, "tcb_status_unknown"],
    ["with an advisory", { advisories: ["INTEL-SA-00001"] }, "advisories"],
    ["without a matching level", { tcbInfo: { tcbLevels: [] } }, "tcb_level_unknown"],
    ["of an evaluation that is too old", { evaluationNumber: 17 }, "tcb_evaluation_outdated"],
    [
      "of an identity that is too old",
      { qeIdentity: { tcbEvaluationDataNumber: 17 } },
      "tcb_evaluation_outdated",
    ],
    [
      "for another kind of machine",
      { tcbInfo: { fmspc: "00906ea10001" } },
      "collateral_other_machine",
    ],
    ["for SGX", { tcbInfo: { id: "SGX" } }, "collateral_other_machine"],
    ["for the enclave of SGX", { qeIdentity: { id: "QE" } }, "collateral_other_machine"],
    [
      "an identity of an unknown version",
      { qeIdentity: { version: 9 } },
      "collateral_other_machine",
    ],
    ["without any TDX module", { tcbInfo: { tdxModuleIdentities: [] } }, "tdx_module_unknown"],
    ["with a TDX module that is out of date", { moduleSvn: 6 }, "tcb_status"],
    [
      "a TDX module older than any",
      { tcbInfo: { tdxModuleIdentities: [{ ...module, tcbLevels: [] }] } },
      "tdx_module_outdated",
    ],
    [
      "a TDX module that is revoked",
      { tcbInfo: { tdxModuleIdentities: [{ ...module, tcbLevels: level("Revoked") }] } },
      "tcb_status",
    ],
    [
      "a TDX module of another signer",
      {
        tcbInfo: {
          tdxModuleIdentities: [
            { ...module, mrsigner: "01".repeat(48), tcbLevels: level("UpToDate") },
          ],
        },
      },
      "tdx_module_mismatch",
    ],
    [
      "a quoting enclave of another signer",
      { qeIdentity: { mrsigner: "01".repeat(32) } },
      "qe_identity_mismatch",
    ],
    ["another quoting enclave", { qeIdentity: { isvprodid: 1 } }, "qe_identity_mismatch"],
    [
      "other attributes of the quoting enclave",
      { qeIdentity: { attributes: "31".repeat(16) } },
      "qe_identity_mismatch",
    ],
    [
      "another MISCSELECT of the quoting enclave",
      { qeIdentity: { miscselect: "01000000" } },
      "qe_identity_mismatch",
    ],
    [
      "a quoting enclave that is revoked",
      { qeIdentity: { tcbLevels: level("Revoked") } },
      "tcb_revoked",
    ],
    ["no quoting enclave at all", { qeIdentity: { tcbLevels: [] } }, "qe_outdated"],
    ["unreadable collateral", { tcbInfo: { tcbLevels: [{}] } }, "verifier_refused"],
  ])("collateral that rates the machine badly is refused: %s", async (_name, fields, code) => {
    expect(await verdictOnFields(fields)).toBe(code);
  });
});

test("arbitrary collateral does not crash the verification, even with valid signatures", async () => {
  const member = fc.constantFrom(
    "id",
    "version",
    "issueDate",
    "nextUpdate",
    "fmspc",
    "tcbEvaluationDataNumber",
    "tdxModule",
    "tdxModuleIdentities",
    "tcbLevels",
    "miscselect",
    "attributesMask",
    "mrsigner",
  );
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("", "00", -1, 1e300, [{ tcb: {} }], [null]),
  );
  const members = fc.dictionary(member, value, { maxKeys: 2 });
  await fc.assert(
    fc.asyncProperty(members, members, async (tcbInfo, qeIdentity) => {
      expect(await verdictOnFields({ tcbInfo, qeIdentity })).toBeTypeOf("string");
    }),
    { numRuns: 60 },
  );
});
