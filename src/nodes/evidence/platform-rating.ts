import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EarshotError } from "../../lib/errors.ts";
import type { Collateral } from "./evidence.ts";
import { refused } from "./refusal.ts";
import type { SignedQuote } from "./signed-quote.ts";
import type { TcbRating } from "./tcb-rating.ts";

/** What the library says when a check fails, and the code of that check. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/^No matching TCB level/, "tcb_level_unknown"],
  [/^TCB status is invalid: Revoked/, "tcb_revoked"],
  [/^TCB status is invalid/, "tcb_status_unknown"],
  [/^QE (MRSIGNER|ISVPRODID|MISCSELECT|ATTRIBUTES) mismatch/, "qe_identity_mismatch"],
  [/^QE ISVSVN|^No TCB levels found in QE Identity/, "qe_outdated"],
  [/^Unsupported QE Identity/, "collateral_other_machine"],
  [/^(TDX|SGX) quote with non-/, "collateral_other_machine"],
  [/^Fmspc mismatch/, "collateral_other_machine"],
  [/^Debug mode/, "qe_debug"],
  [/^Reserved bits|^SEPT_VE_DISABLE/, "td_attributes"],
  [/^Invalid mr service td/, "service_td"],
];

/**
 * Rates the machine and its quoting enclave by the collateral, with the library `@phala/dcap-qvl`, which verifies the quote all
 * over again from its own reading of it. It does not authenticate revocation lists and rates no TDX module: those are checked
 * elsewhere, and the lists are kept from it.
 *
 * Errors: `evidence_refused` with a code of `faults`, or `verifier_refused`.
 */
export async function ratePlatform(
  quote: SignedQuote,
  collateral: Collateral,
  nowMs: number,
): Promise<TcbRating> {
  const { QuoteVerifier } = await loadVerifier();
  const verifier = QuoteVerifier.newWithRootCa(quote.root.raw);
  const given = { ...collateral, root_ca_crl: "", pck_crl: "" };
  try {
    const verdict = verifier.verify(Buffer.from(quote.bytes), given, Math.floor(nowMs / 1000));
    return { status: verdict.status, advisories: verdict.advisory_ids.map(String) };
  } catch (fault) {
    const said = fault instanceof Error ? fault.message : "";
    const code = faults.find(([words]) => words.test(said))?.[1] ?? "verifier_refused";
    throw refused(code, messages[code] ?? "the quote verifier refuses the quote");
  }
}

const messages: Readonly<Record<string, string>> = {
  tcb_level_unknown: "the machine is older than any state that Intel rates",
  tcb_revoked: "Intel has revoked the state that the machine is in",
  tcb_status_unknown: "the collateral rates the machine with a word that is not known",
  qe_identity_mismatch: "the quoting enclave is not the one that Intel names",
  qe_outdated: "the quoting enclave is older than any that Intel rates",
  collateral_other_machine: "the collateral is for another kind of machine",
  qe_debug: "the quoting enclave can be debugged, so that its keys are known to its operator",
  td_attributes: "the virtual machine has attributes that a trusted one does not have",
  service_td: "the virtual machine may be moved by another one, which nothing is known of",
};

/** SHA-256 of the certificate "Intel SGX Root CA", in DER. */
const fingerprint = "44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3";

/** Intel's root certificate in DER, which all quotes of real machines lead to. */
export async function intelRoot(): Promise<Uint8Array> {
  const { constants } = await loadVerifier();
  const root = constants.TRUSTED_ROOT_CA_DER;
  if (createHash("sha256").update(root).digest("hex") === fingerprint) return root;
  throw new EarshotError(
    "quote_verifier_damaged",
    "the quote verifier brings another root than Intel's",
    {
      hint: "install the packages of Earshot again, from its own lock file",
    },
  );
}

type Verifier = typeof import("@phala/dcap-qvl");

/** What the library is made of. All of it at once would hold the event loop for 50 ms. */
const parts = ["bn.js", "hash.js", "elliptic", "asn1.js"];

let loading: Promise<Verifier> | null = null;

/** The library that judges quotes. It takes 17 MB, so it is loaded where the first quote is verified. */
function loadVerifier(): Promise<Verifier> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Verifier> {
  const requirePart = createRequire(import.meta.resolve("@phala/dcap-qvl"));
  for (const part of parts) {
    requirePart(part);
    await nextTurn();
  }
  return import("@phala/dcap-qvl");
}
