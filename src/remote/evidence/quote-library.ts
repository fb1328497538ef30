import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { EarshotError } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";
import type { Collateral } from "./evidence.ts";
import { refused } from "./refusal.ts";
import type { SignedQuote } from "./signed-quote.ts";

export type TcbRating = { status: string; advisories: readonly string[] };

const otherMachine = "the collateral is for another kind of machine";
const otherEnclave = "the quoting enclave is not Intel's";
const refusals: readonly (readonly [RegExp, string, string])[] = [
  [/^No matching TCB level/, "tcb_level_unknown", "the machine is older than any rated TCB level"],
  [/^TCB status is invalid: Revoked/, "tcb_revoked", "Intel has revoked the machine's TCB level"],
  [/^TCB status is invalid/, "tcb_status_unknown", "the collateral has an unknown TCB status"],
  [/^QE (MRSIGNER|ISVPRODID|MISCSELECT|ATTRIBUTES)/, "qe_identity_mismatch", otherEnclave],
  [
    /^QE ISVSVN|^No TCB levels found in QE/,
    "qe_outdated",
    "the quoting enclave is older than any rated level",
  ],
  [/^Unsupported QE|^(TDX|SGX) quote|^Fmspc/, "collateral_other_machine", otherMachine],
  [
    /^Debug mode/,
    "qe_debug",
    "the quoting enclave runs in debug mode, so its operator has its keys",
  ],
  [
    /^Reserved bits|^SEPT_VE_DISABLE/,
    "td_attributes",
    "the virtual machine has untrusted attributes",
  ],
  [/^Invalid mr service td/, "service_td", "an unknown service TD can migrate the virtual machine"],
  [/^/, "verifier_refused", "the quote verifier rejected the quote"],
];

/** `@phala/dcap-qvl` neither authenticates revocation lists nor rates the TDX module: Earshot does both. */
export async function ratePlatform(
  quote: SignedQuote,
  collateral: Collateral,
  nowMs: number,
): Promise<TcbRating> {
  const { QuoteVerifier } = await loadLibrary();
  const verifier = QuoteVerifier.newWithRootCa(quote.root.raw);
  const collateralWithoutLists = { ...collateral, root_ca_crl: "", pck_crl: "" };
  try {
    const nowSeconds = Math.floor(nowMs / 1000);
    const report = verifier.verify(Buffer.from(quote.bytes), collateralWithoutLists, nowSeconds);
    return { status: report.status, advisories: report.advisory_ids.map(String) };
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    const [, code = "", message = ""] = refusals.find(([pattern]) => pattern.test(text)) ?? [];
    throw refused(code, message);
  }
}

/** SHA-256 of "Intel SGX Root CA" in DER. */
const fingerprint = "44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3";

export async function intelRoot(): Promise<Uint8Array> {
  const { constants } = await loadLibrary();
  const root = constants.TRUSTED_ROOT_CA_DER;
  if (createHash("sha256").update(root).digest("hex") === fingerprint) return root;
  throw new EarshotError("quote_verifier_damaged", "the quote verifier has an unexpected root CA", {
    hint: "reinstall Earshot's packages from its lock file",
  });
}

/** Loads in parts, because 17 MB in one step would block the event loop for 50 ms. */
const loadLibrary = once(async () => {
  const requireModule = createRequire(import.meta.resolve("@phala/dcap-qvl"));
  for (const moduleName of ["bn.js", "hash.js", "elliptic", "asn1.js"]) {
    requireModule(moduleName);
    await yieldToEventLoop();
  }
  return await import("@phala/dcap-qvl");
});
