import type { X509Certificate } from "node:crypto";
import { namesOf } from "./certificates.ts";
import { refused } from "./refusal.ts";

/**
 * Walks a chain from its leaf to the pinned root: names, signatures, who may issue, and times. Gives the chain with the root at
 * its end, whether or not it came with it.
 *
 * Errors: `evidence_refused` with `chain_root`, `chain_issuer`, `chain_signature`, `chain_not_ca` or `chain_outdated`.
 */
export function requireChain(
  certificates: readonly X509Certificate[],
  root: X509Certificate,
  nowMs: number,
  what: string,
): X509Certificate[] {
  const last = certificates.at(-1);
  if (last === undefined || !(last.raw.equals(root.raw) || isIssuedBy(last, root))) {
    throw refused(
      "chain_root",
      `the ${what} does not lead to the root that this kind of evidence is verified against`,
      "a simulated quote is verified against its own root only, and has to be declared as simulated",
    );
  }
  const chain = last.raw.equals(root.raw) ? [...certificates] : [...certificates, root];
  for (const [index, certificate] of chain.entries()) {
    const place = `certificate ${index + 1} of the ${what}`;
    const issuer = chain[index + 1];
    if (issuer !== undefined) requireIssued(certificate, issuer, place);
    if (certificate.ca !== index > 0) {
      const fault = index > 0 ? "may not issue certificates" : "is one that issues certificates";
      throw refused("chain_not_ca", `${place} ${fault}`);
    }
    requireInTime(certificate, nowMs, place);
  }
  return chain;
}

function requireIssued(certificate: X509Certificate, issuer: X509Certificate, place: string): void {
  if (!namesOf(certificate).issuer.equals(namesOf(issuer).subject)) {
    throw refused("chain_issuer", `${place} names another issuer than the one after it`);
  }
  if (!isIssuedBy(certificate, issuer)) {
    throw refused("chain_signature", `${place} is not signed by the one after it`);
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function requireInTime(certificate: X509Certificate, nowMs: number, place: string): void {
  const fromMs = certificate.validFromDate.getTime();
  const toMs = certificate.validToDate.getTime();
  if (nowMs >= fromMs && nowMs <= toMs) return;
  throw refused("chain_outdated", `${place} is valid at another time`, checkClock);
}

export const checkClock = "check the clock of the machine that verifies";
