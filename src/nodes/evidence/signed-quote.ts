import { createHash, createPublicKey, type KeyObject, verify, X509Certificate } from "node:crypto";
import { requireChain } from "./certificate-chain.ts";
import { certificatesOf, type PlatformIds, platformOf } from "./certificates.ts";
import { type QuoteParts, readQuote } from "./quote-reader.ts";
import { readOrRefuse, refused } from "./refusal.ts";

/** A quote whose signatures lead to the root. Whether its machine is in a good state, only collateral tells. */
export type SignedQuote = {
  bytes: Uint8Array;
  parts: QuoteParts;
  /** The chain of the machine's certificate, from it to the root. */
  chain: readonly X509Certificate[];
  root: X509Certificate;
  platform: PlatformIds;
};

/**
 * Verifies all that a quote says of itself: the root vouches for the machine, the machine for its quoting enclave, that for the
 * attestation key, and the key for the report.
 *
 * Errors: `evidence_refused` with `quote_malformed`, `quote_unsupported`, `chain_…`, `qe_report_signature`,
 * `attestation_key_unbound` or `quote_signature`.
 */
export function openQuote(quote: Uint8Array, rootDer: Uint8Array, nowMs: number): SignedQuote {
  const parts = readQuote(quote);
  const root = new X509Certificate(rootDer);
  const chain = requireChain(certificatesOf(parts.chain, "PCK chain"), root, nowMs, "PCK chain");
  const [leaf = root] = chain;
  const platform = platformOf(leaf);
  if (platform === null) {
    throw refused(
      "chain_malformed",
      "the first certificate of the PCK chain is not that of a machine",
    );
  }
  requireSignatures(parts, leaf.publicKey);
  return { bytes: quote, parts, chain, root, platform };
}

function requireSignatures(parts: QuoteParts, pckKey: KeyObject): void {
  const { qeReport, attestationKey, qeAuthData } = parts;
  if (!isSigned(qeReport, pckKey, parts.qeReportSignature)) {
    throw refused(
      "qe_report_signature",
      "the quoting enclave is not vouched for by the machine's certificate",
    );
  }
  const vouchedFor = createHash("sha256").update(attestationKey).update(qeAuthData).digest();
  if (!qeReport.subarray(320, 352).equals(vouchedFor)) {
    throw refused(
      "attestation_key_unbound",
      "the quoting enclave does not vouch for the attestation key",
    );
  }
  const key = readOrRefuse("attestation_key_unbound", "the attestation key cannot be read", () =>
    keyOf(attestationKey),
  );
  if (!isSigned(parts.signed, key, parts.signature)) {
    throw refused(
      "quote_signature",
      "header and report of the quote are not signed by the attestation key",
    );
  }
}

/** A signature of two numbers of 32 bytes each, as quotes and collateral hold them. */
export function isSigned(signed: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  return verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
}

function keyOf(coordinates: Buffer): KeyObject {
  const x = coordinates.subarray(0, 32).toString("base64url");
  const y = coordinates.subarray(32).toString("base64url");
  return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
}
