import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  collateral,
  evidence,
  nowMs,
  quoteBytes,
  statement,
  tee,
  verdictOn,
  withBitFlipped,
  withQuote,
} from "../../../testkit/nodes/evidence-under-test.ts";
import { hashReportData } from "../protocol/statement.ts";
import { parseCertificates } from "./certificates.ts";
import { makeCertificate, makeKeyPair, toPem } from "./simulated/authority.ts";
import { createSimulatedTee } from "./simulated/simulated-tee.ts";

test("the unchanged test evidence is accepted", async () => {
  expect(await verdictOn({})).toBe("accepted");
});

describe("a flipped bit in the quote is refused", () => {
  test.each([
    ["version", 0, "quote_unsupported"],
    ["kind of attestation key", 2, "quote_unsupported"],
    ["kind of TEE", 4, "quote_unsupported"],
    ["version of the quoting enclave", 8, "quote_signature"],
    ["version of the provisioning enclave", 10, "quote_signature"],
    ["vendor", 12, "quote_unsupported"],
    ["user data", 28, "quote_signature"],
    ["TEE_TCB_SVN", 48, "quote_signature"],
    ["MRSEAM", 64, "quote_signature"],
    ["MRSIGNERSEAM", 112, "quote_signature"],
    ["SEAMATTRIBUTES", 160, "quote_signature"],
    ["TDATTRIBUTES", 168, "quote_signature"],
    ["XFAM", 176, "quote_signature"],
    ["MRTD", 184, "quote_signature"],
    ["MRCONFIGID", 232, "quote_signature"],
    ["MROWNER", 280, "quote_signature"],
    ["MROWNERCONFIG", 328, "quote_signature"],
    ["RTMR0", 376, "quote_signature"],
    ["RTMR1", 424, "quote_signature"],
    ["RTMR2", 472, "quote_signature"],
    ["RTMR3", 520, "quote_signature"],
    ["report data", 568, "quote_signature"],
    ["length of the signatures", 632, "quote_malformed"],
    ["first half of the signature", 636, "quote_signature"],
    ["second half of the signature", 668, "quote_signature"],
    ["attestation key", 700, "attestation_key_unbound"],
    ["kind of the outer certification data", 764, "quote_unsupported"],
    ["length of the outer certification data", 766, "quote_malformed"],
    ["CPUSVN of the quoting enclave", 770, "qe_report_signature"],
    ["attributes of the quoting enclave", 818, "qe_report_signature"],
    ["MRENCLAVE of the quoting enclave", 834, "qe_report_signature"],
    ["MRSIGNER of the quoting enclave", 898, "qe_report_signature"],
    ["product of the quoting enclave", 1026, "qe_report_signature"],
    ["version of the quoting enclave's code", 1028, "qe_report_signature"],
    ["data of the quoting enclave's report", 1090, "qe_report_signature"],
    ["signature of the quoting enclave's report", 1154, "qe_report_signature"],
    ["length of the authentication data", 1218, "quote_malformed"],
    ["authentication data", 1220, "attestation_key_unbound"],
    ["kind of the certification data", 1252, "quote_unsupported"],
    ["length of the certification data", 1254, "quote_malformed"],
    ["heading of the first certificate", 1258, "chain_malformed"],
  ])("a flipped bit in the quote is refused: %s", async (_name, offset, code) => {
    expect(await verdictOn(withQuote(withBitFlipped(quoteBytes(), offset)))).toBe(code);
  });

  test("a flipped bit at any position of the quote is refused", async () => {
    const bytes = quoteBytes();
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (offset, bit) => {
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
        // White space and spare bits carry no information.
        const isSame =
          quoteChain(flipped) === quoteChain(bytes) &&
          flipped.subarray(0, 1_258).equals(bytes.subarray(0, 1_258));
        expect(await verdictOn(withQuote(flipped))).toSatisfy(
          (verdict) => verdict !== "accepted" || isSame,
        );
      }),
      { numRuns: 150 },
    );
  });
});

test("arbitrary bytes are never accepted as a quote", async () => {
  const bytes = quoteBytes();
  const position = fc.nat(bytes.length);
  const splicedQuotes = fc
    .tuple(position, position, fc.uint8Array({ maxLength: 40 }))
    .map(([from, length, inserted]) => {
      const tail = bytes.subarray(from + (length % 80));
      return Buffer.concat([bytes.subarray(0, from), inserted, tail]);
    })
    .filter(
      (changed) =>
        !changed.equals(bytes) &&
        changed.subarray(0, 1_258).some((byte, index) => byte !== bytes[index]),
    );
  const headedQuotes = fc
    .uint8Array({ maxLength: 2_000 })
    .map((tail) => Buffer.concat([bytes.subarray(0, 48), tail]));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array({ maxLength: 100 }), headedQuotes, splicedQuotes),
      async (quote) => {
        expect(await verdictOn(withQuote(quote))).not.toBe("accepted");
      },
    ),
    { numRuns: 200 },
  );
});

function quoteChain(quote: Buffer): string {
  try {
    const chain = parseCertificates(quote.subarray(1_258).toString("latin1"), "chain");
    return chain.map(({ fingerprint256 }) => fingerprint256).join();
  } catch {
    return "";
  }
}

describe("a quote of another format is refused", () => {
  const verdictOnText = (quote: string | null) => verdictOn({ evidence: { ...evidence, quote } });

  test.each([
    ["empty", "", "quote_malformed"],
    ["not hexadecimal", "xyz", "quote_malformed"],
    ["digits with a trailing space", `${evidence.quote} `, "quote_malformed"],
    ["in upper case", String(evidence.quote?.toUpperCase()), "quote_malformed"],
    ["truncated", String(evidence.quote?.slice(0, -200)), "quote_malformed"],
    ["with bytes after its signatures", `${evidence.quote}01`, "quote_malformed"],
    ["too long", "00".repeat(40_000), "quote_malformed"],
  ])("a quote of another format is refused: %s", async (_name, quote, code) => {
    expect(await verdictOnText(quote)).toBe(code);
  });

  test("zero padding of a quote by a guest agent is accepted", async () => {
    expect(await verdictOnText(`${evidence.quote}0000`)).toBe("accepted");
  });

  test("a version 5 quote is accepted like version 4, but not with a changed report type or size", async () => {
    const variant = tee.evidence(hashReportData(statement), { version: 5 });
    expect(await verdictOn({ evidence: variant })).toBe("accepted");
    const bytes = Buffer.from(variant.quote ?? "", "hex");
    const [type, size] = [withBitFlipped(bytes, 48), withBitFlipped(bytes, 50)];
    expect(await verdictOn({ evidence: { ...variant, quote: type.toString("hex") } })).toBe(
      "quote_unsupported",
    );
    expect(await verdictOn({ evidence: { ...variant, quote: size.toString("hex") } })).toBe(
      "quote_unsupported",
    );
  });
});

describe("a certificate chain is refused", () => {
  const [machine = "", authority = "", root = ""] = tee.chain.split(
    /(?<=-----END CERTIFICATE-----\n)/,
  );
  const otherTee = createSimulatedTee({ nowMs });
  const withChain = (chain: string) => {
    const head = quoteBytes().subarray(0, 1_258);
    const tail = Buffer.from(chain, "latin1");
    const quote = Buffer.concat([head, tail]);
    quote.writeUInt32LE(tail.length, 1_254);
    quote.writeUInt32LE(quote.length - 770, 766);
    quote.writeUInt32LE(quote.length - 636, 632);
    return verdictOn(withQuote(quote));
  };
  /** Counted from the end; the last 70 bytes are the signature. */
  const flipCertificateBit = (pem: string, fromEnd: number) => {
    const der = Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ""), "base64");
    return toPem(withBitFlipped(der, der.length - fromEnd));
  };

  test("the unchanged certificate chain is accepted, with or without the root", async () => {
    expect(await withChain(tee.chain)).toBe("accepted");
    expect(await withChain(machine + authority)).toBe("accepted");
  });

  test.each([
    ["of another machine", otherTee.chain, "chain_root"],
    ["with another machine's root", machine + authority + otherTee.rootPem, "chain_root"],
    ["without the intermediate CA", machine + root, "chain_issuer"],
    ["in another order", authority + machine + root, "chain_not_ca"],
    [
      "whose machine certificate has another signature",
      flipCertificateBit(machine, 3) + authority + root,
      "chain_signature",
    ],
    [
      "whose machine certificate was changed",
      flipCertificateBit(machine, 90) + authority + root,
      "chain_signature",
    ],
    [
      "whose intermediate CA was changed",
      machine + flipCertificateBit(authority, 3) + root,
      "chain_signature",
    ],
    ["whose root was changed", machine + authority + flipCertificateBit(root, 3), "chain_root"],
    ["with text between certificates", `${machine}hello${authority}${root}`, "chain_malformed"],
    ["with text after it", `${tee.chain}hello`, "chain_malformed"],
    ["that is not a certificate", "hello", "chain_malformed"],
    ["of one certificate", machine, "chain_malformed"],
    ["of five certificates", machine + authority + root + root + root, "chain_malformed"],
    ["that begins with a CA", authority + root, "chain_not_ca"],
  ])("a certificate chain %s is refused", async (_name, chain, code) => {
    expect(await withChain(chain)).toBe(code);
  });

  test("a certificate chain is refused if a machine's certificate issued another one", async () => {
    const issuer = { name: "Simulated PCK Certificate", privateKey: tee.pckKey };
    const validity = { fromMs: nowMs - 1_000, toMs: nowMs + 1_000 };
    const { publicKey } = makeKeyPair();
    const forgedCertificate = {
      name: "forged",
      issuer,
      publicKey,
      serial: 9,
      isCa: false,
      validity,
    };
    expect(await withChain(toPem(makeCertificate(forgedCertificate)) + tee.chain)).toBe(
      "chain_issuer",
    );
  });

  test("a certificate chain is refused if it has expired or is not valid yet", async () => {
    const years = 365 * 86_400_000;
    expect(await verdictOn({ nowMs: nowMs + 11 * years })).toBe("chain_outdated");
    expect(await verdictOn({ nowMs: nowMs - years })).toBe("chain_outdated");
  });

  test("a certificate chain is refused if its root is not the pinned one", async () => {
    expect(await verdictOn({ policy: tee.policy({ simulated_root: otherTee.rootPem }) })).toBe(
      "chain_root",
    );
  });
});

describe("a quote is refused for what it reports", () => {
  const bytes = (length: number, value: number) => Buffer.alloc(length, value);

  test.each([
    [
      "a machine that can be debugged",
      { tdAttributes: Buffer.from("0100001000000000", "hex") },
      "debug",
    ],
    [
      "attributes that are reserved",
      { tdAttributes: Buffer.from("0001001000000000", "hex") },
      "td_attributes",
    ],
    ["exceptions that the host can inject", { tdAttributes: bytes(8, 0) }, "td_attributes"],
    ["another MRTD", { mrTd: bytes(48, 9) }, "image_unknown"],
    [
      "another RTMR3 than its events",
      { rtMr: [0x20, 0x21, 0x22, 0x23].map((n) => bytes(48, n)) },
      "event_log_mismatch",
    ],
    ["processor tracing", { xfam: Buffer.from("e703060000000000", "hex") }, "xfam"],
    ["a key locker", { tdAttributes: Buffer.from("0000009000000000", "hex") }, "td_attributes"],
    ["an MRCONFIGID", { mrConfigId: bytes(48, 1) }, "mr_config_id"],
    ["an MROWNER", { mrOwner: bytes(48, 1) }, "mr_owner"],
    ["an MROWNERCONFIG", { mrOwnerConfig: bytes(48, 1) }, "mr_owner_config"],
    ["a TDX module of another signer", { mrSignerSeam: bytes(48, 1) }, "tdx_module_mismatch"],
    ["a TDX module with attributes", { seamAttributes: bytes(8, 1) }, "tdx_module_mismatch"],
    ["a TDX module of an unknown version", { teeTcbSvn: svn(5, 2, 3) }, "tdx_module_unknown"],
    ["a TDX module that is out of date", { teeTcbSvn: svn(4, 1, 3) }, "tcb_status"],
    ["a machine older than any that is rated", { teeTcbSvn: svn(5, 1, 2) }, "tcb_level_unknown"],
    ["a quoting enclave of another signer", { qeMrSigner: bytes(32, 1) }, "qe_identity_mismatch"],
    ["a quoting enclave with another product id", { qeProductId: 1 }, "qe_identity_mismatch"],
    ["a quoting enclave with other attributes", { qeAttributes: 0x31 }, "qe_identity_mismatch"],
    ["a quoting enclave that can be debugged", { qeAttributes: 0x13 }, "qe_debug"],
    ["a quoting enclave that is out of date", { qeSvn: 3 }, "tcb_status"],
    ["a quoting enclave older than any that is rated", { qeSvn: 1 }, "qe_outdated"],
    [
      "a service TD that can migrate it",
      { version: 5 as const, mrServiceTd: bytes(48, 1) },
      "service_td",
    ],
  ])("a quote is refused for what it reports: %s", async (_name, fields, code) => {
    const variant = tee.evidence(hashReportData(statement), fields);
    expect(await verdictOn({ evidence: variant })).toBe(code);
  });

  test.each([0, 1, 2])("a quote with another RTMR%i is refused", async (index) => {
    const variant = tee.evidence(hashReportData(statement));
    const measuredRegister = Buffer.from(variant.quote ?? "", "hex").subarray(520, 568);
    const rtMr = [0x20, 0x21, 0x22].map((value, position) =>
      bytes(48, position === index ? 9 : value),
    );
    const changedEvidence = tee.evidence(hashReportData(statement), {
      rtMr: [...rtMr, measuredRegister],
    });
    expect(await verdictOn({ evidence: changedEvidence })).toBe("image_unknown");
  });

  test("a TDX module of version 0 is rated with the machine", async () => {
    const variant = tee.evidence(hashReportData(statement), { teeTcbSvn: svn(5, 0, 3) });
    expect(await verdictOn({ evidence: variant })).toBe("accepted");
    const collateralWithoutModule = tee.collateral({ tcbInfo: { tdxModule: undefined } });
    expect(await verdictOn({ evidence: variant, collateral: collateralWithoutModule })).toBe(
      "tdx_module_unknown",
    );
    expect(await verdictOn({ collateral })).toBe("accepted");
  });
});

function svn(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.set(values);
  return bytes;
}
