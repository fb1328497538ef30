import { describe, expect, test } from "vitest";
import {
  hasSampleQuotes,
  sampleCollateral,
  sampleQuote,
  sampleReport,
} from "../../../testkit/nodes/sample-quotes.ts";
import { EarshotError } from "../../lib/errors.ts";
import { collateralFileName, collateralKey } from "./collateral-service.ts";
import { replayEventLog } from "./event-log.ts";
import type { Collateral, QuoteFacts } from "./evidence.ts";
import { type NodePolicy, readPolicy } from "./policy.ts";
import { checkPolicy } from "./policy-check.ts";
import { rateQuote } from "./quote.ts";
import { intelRoot as intelRootDer } from "./quote-library.ts";
import { openQuote } from "./signed-quote.ts";

const skipNote = hasSampleQuotes() ? "" : " (skipped: the sample quotes are not on this machine)";
const june2025 = Date.UTC(2025, 5, 20);
const february2026 = Date.UTC(2026, 1, 20);
const intelRoot = "44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3";

async function verdictOn(
  quote: Uint8Array,
  collateral: Collateral,
  nowMs: number,
): Promise<string> {
  return runCode(async () => (await verifyQuote(quote, collateral, nowMs)).tcbStatus);
}

const verifyQuote = async (
  quote: Uint8Array,
  collateral: Collateral,
  nowMs: number,
): Promise<QuoteFacts> =>
  rateQuote(openQuote(quote, await intelRootDer(), nowMs), collateral, nowMs);

async function runCode(run: () => Promise<string> | string): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "evidence_refused") throw error;
    return error.details[0]?.code ?? "";
  }
}

const policyFor = (facts: QuoteFacts, composeHash: string, rtmr3?: string): NodePolicy =>
  readPolicy(
    JSON.stringify({
      tcb_status: ["UpToDate"],
      accepted_advisories: [],
      min_tcb_evaluation_number: 17,
      images: [{ name: "sample", mrtd: facts.mrTd, rtmr: facts.rtMr.slice(0, 3), rtmr3 }],
      compose_hashes: [composeHash],
      key_providers: [{ name: "local-sgx" }],
      platforms: [facts.platformInstanceId ?? ""],
    }),
  );

describe.skipIf(!hasSampleQuotes())(`quotes of real machines${skipNote}`, () => {
  test("a real TDX quote is up to date, and measures no program", async () => {
    const facts = await verifyQuote(
      sampleQuote("tdx_quote"),
      sampleCollateral("tdx_quote_collateral.json"),
      june2025,
    );
    expect(facts).toMatchObject({
      tcbStatus: "UpToDate",
      advisories: [],
      fmspc: "b0c06f000000",
      platformInstanceId: "07828474603e7019dc930775ffe8cdd2",
      rootSha256: intelRoot,
      tcbEvaluationNumber: 17,
    });
    expect(facts.rtMr[3]).toBe("00".repeat(48));
    expect(new Date(facts.collateralUntilMs).toISOString()).toBe("2025-07-19T10:00:35.000Z");
    const policy = policyFor(facts, "ab".repeat(32));
    expect(await runCode(() => checkPolicy(policy, facts, null).image)).toBe("app_not_measured");
    const unusedProgramPolicy = policyFor(facts, "ab".repeat(32), "unused");
    expect(checkPolicy(unusedProgramPolicy, facts, null)).toEqual({
      image: "sample",
      isListedPlatform: true,
    });
  });

  test("a real TDX quote is refused with expired collateral", async () => {
    const collateral = sampleCollateral("tdx_quote_collateral.json");
    expect(await verdictOn(sampleQuote("tdx_quote"), collateral, february2026)).toBe(
      "crl_outdated",
    );
  });

  test("a real dstack quote is up to date, and its event log proves its compose file", async () => {
    const { quote, eventLog, reportData } = sampleReport();
    const collateral = sampleCollateral("tdx_quote_outdated_collateral.json");
    const facts = await verifyQuote(quote, collateral, february2026);
    expect(facts).toMatchObject({ tcbStatus: "UpToDate", fmspc: "90c06f000000", reportData });
    const boot = replayEventLog(eventLog, facts.rtMr[3] ?? "");
    const { composeHash, keyProvider } = boot;
    expect(composeHash).toBe("3763bc34552cf3a27ff71ad5f7a90471562a1a2df552dfc1998cba2d60da27e7");
    const policy = policyFor(facts, composeHash ?? "");
    expect(checkPolicy(policy, facts, boot)).toEqual({ image: "sample", isListedPlatform: true });
    // The host's enclave has the disk keys; policies for key services do not accept it.
    expect(keyProvider).toEqual({
      name: "local-sgx",
      id: "1b7a49378403249b6986a907844cab0921eca32dd47e657f3c10311ccaeccf8b",
    });
    const strictPolicy = { ...policy, key_providers: [{ name: "kms" }] };
    expect(await runCode(() => checkPolicy(strictPolicy, facts, boot).image)).toBe(
      "key_provider_unknown",
    );
    expect(
      collateralFileName(collateralKey(openQuote(quote, await intelRootDer(), february2026))),
    ).toBe("tdx-90c06f000000-platform.json");
    const matchingFacts = { ...facts, mrConfigId: `01${composeHash}${"00".repeat(15)}` };
    expect(checkPolicy(policy, matchingFacts, boot)).toMatchObject({ image: "sample" });
    const otherFacts = { ...facts, mrConfigId: `01${"ab".repeat(32)}${"00".repeat(15)}` };
    expect(await runCode(() => checkPolicy(policy, otherFacts, boot).image)).toBe("mr_config_id");
  });

  test("a real machine's quote has CET in place of PKRU in its XFAM", () => {
    const bits = sampleQuote("tdx_quote_outdated").subarray(174, 190);
    expect(Buffer.from(bits).toString("hex")).toBe("0000001000000000e718060000000000");
  });

  test("the event log of a real dstack quote is refused with another compose file", async () => {
    const { quote, eventLog } = sampleReport();
    const rtMr3 = quote.slice(520, 568);
    const changedLog = eventLog.replace("3763bc34", "3763bc35");
    expect(
      await runCode(() => String(replayEventLog(changedLog, Buffer.from(rtMr3).toString("hex")))),
    ).toBe("event_digest");
  });

  test.each([
    [
      "an old machine",
      "tdx_quote_outdated",
      "tdx_quote_outdated_collateral.json",
      february2026,
      "tcb_level_unknown",
    ],
    [
      "an older machine",
      "quote-from-tappd.hex",
      "tdx_quote_collateral.json",
      june2025,
      "tcb_level_unknown",
    ],
    ["an unknown machine", "tdx_quote", "sgx_quote_collateral.json", june2025, "crl_issuer"],
  ])("a real quote of %s is refused", async (_name, quote, collateral, nowMs, code) => {
    expect(await verdictOn(sampleQuote(quote), sampleCollateral(collateral), nowMs)).toBe(code);
  });

  test("a real SGX quote is refused", async () => {
    const collateral = sampleCollateral("sgx_quote_collateral.json");
    expect(await verdictOn(sampleQuote("sgx_quote"), collateral, june2025)).toBe(
      "quote_unsupported",
    );
  });

  test.each([
    ["header", 30, "quote_signature"],
    ["MRTD", 184, "quote_signature"],
    ["RTMR3", 520, "quote_signature"],
    ["report data", 568, "quote_signature"],
    ["signature", 640, "quote_signature"],
    ["attestation key", 700, "attestation_key_unbound"],
    ["report of the quoting enclave", 770, "qe_report_signature"],
  ])("a real quote with a flipped bit in its %s is refused", async (_name, offset, code) => {
    const quote = Buffer.from(sampleQuote("tdx_quote"));
    quote[offset] = (quote[offset] ?? 0) ^ 1;
    expect(await verdictOn(quote, sampleCollateral("tdx_quote_collateral.json"), june2025)).toBe(
      code,
    );
  });

  test.each([
    ["pck_crl", "deadbeef", "crl_malformed"],
    ["pck_crl", "", "crl_malformed"],
    ["root_ca_crl", "30", "crl_malformed"],
    ["tcb_info_signature", "00".repeat(64), "tcb_info_signature"],
    ["qe_identity_signature", "00".repeat(64), "qe_identity_signature"],
  ])("a real quote is refused if its collateral has %s %j", async (name, value, code) => {
    const collateral = { ...sampleCollateral("tdx_quote_collateral.json"), [name]: value };
    expect(await verdictOn(sampleQuote("tdx_quote"), collateral, june2025)).toBe(code);
  });

  test("a real quote's revocation lists are refused if they are forged, from another issuer or not currently valid", async () => {
    const quote = sampleQuote("tdx_quote");
    const collateral = sampleCollateral("tdx_quote_collateral.json");
    const laterCollateral = sampleCollateral("tdx_quote_outdated_collateral.json");
    const forgedCrl = `${collateral.pck_crl.slice(0, -2)}${collateral.pck_crl.endsWith("00") ? "01" : "00"}`;
    for (const [pck_crl, code] of [
      [forgedCrl, "crl_signature"],
      [collateral.root_ca_crl, "crl_issuer"],
      [laterCollateral.pck_crl, "crl_outdated"],
    ] as const) {
      expect(await verdictOn(quote, { ...collateral, pck_crl }, june2025)).toBe(code);
    }
  });
});
