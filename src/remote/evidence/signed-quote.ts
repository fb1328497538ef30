import { createHash, createPublicKey, type KeyObject, verify, X509Certificate } from "node:crypto";
import { parseCertificates, readPlatformIds, requireChain } from "./certificates.ts";
import { type QuoteParts, readQuote } from "./quote-reader.ts";
import { readOrRefuse, refused } from "./refusal.ts";

/** A quote with valid signatures. Only collateral shows whether the machine is up to date. */
export type SignedQuote = ReturnType<typeof openQuote>;

/** The root certifies the machine, which signs the quoting enclave's report, which binds the key that signs the quote. */
export function openQuote(quote: Uint8Array, rootDer: Uint8Array, nowMs: number) {
  const parts = readQuote(quote);
  const root = new X509Certificate(rootDer);
  const chain = requireChain(parseCertificates(parts.chain, "PCK chain"), root, nowMs, "PCK chain");
  const [leaf = root] = chain;
  const platform = readPlatformIds(leaf);
  if (platform === null) {
    throw refused("chain_malformed", "the PCK chain does not begin with a PCK certificate");
  }
  requireSignatures(parts, leaf.publicKey);
  return { bytes: quote, parts, chain, root, platform };
}

function requireSignatures(parts: QuoteParts, pckKey: KeyObject): void {
  const { qeReport, attestationKey, qeAuthData } = parts;
  if (!isSigned(qeReport, pckKey, parts.qeReportSignature)) {
    throw refused(
      "qe_report_signature",
      "the machine's certificate does not vouch for the quoting enclave",
    );
  }
  const unboundMessage = "the quoting enclave does not vouch for the attestation key";
  const hash = createHash("sha256").update(attestationKey).update(qeAuthData).digest();
  if (!qeReport.subarray(320, 352).equals(hash))
    throw refused("attestation_key_unbound", unboundMessage);
  const key = readOrRefuse("attestation_key_unbound", "the attestation key is not a key", () => {
    const x = attestationKey.toString("base64url", 0, 32);
    const y = attestationKey.toString("base64url", 32);
    return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  });
  if (!isSigned(parts.signed, key, parts.signature)) {
    throw refused("quote_signature", "the quote is not signed by the attestation key");
  }
}

/** Checks an ECDSA signature of r and s, 32 bytes each. */
export function isSigned(signedBytes: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  return verify("sha256", signedBytes, { key, dsaEncoding: "ieee-p1363" }, signature);
}
