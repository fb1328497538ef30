import type { X509Certificate } from "node:crypto";

import { certificatesOf, checkClock, platformOf, requireChain, serialOf } from "./certificates.ts";
import { type QeIdentity, readQeIdentity, readTcbInfo, type TcbInfo } from "./collateral-text.ts";
import type { Collateral } from "./evidence.ts";
import { refused } from "./refusal.ts";
import { requireRevocationList } from "./revocation-list.ts";
import { isSigned, type SignedQuote } from "./signed-quote.ts";

/** Collateral that the root of the quote vouches for, in force at that time; times are Unix milliseconds. */
export type CheckedCollateral = { tcbInfo: TcbInfo; qeIdentity: QeIdentity; untilMs: number };

/**
 * Verifies who issued the collateral, that it is in force and for this kind of machine, and that no certificate in play was
 * revoked. Revocation lists are held against certificates of the quote's own chain, never against one that came with them.
 *
 * Errors: `evidence_refused` with `crl_…`, `certificate_revoked`, `chain_…`, `collateral_signer`, `tcb_info_signature`,
 * `qe_identity_signature`, `collateral_malformed`, `collateral_outdated` or `collateral_other_machine`.
 */
export function requireCollateral(
  collateral: Collateral,
  quote: SignedQuote,
  nowMs: number,
): CheckedCollateral {
  const { root, chain } = quote;
  const [pck = root, pckIssuer = root] = chain;
  requireListIssuer(collateral.pck_crl_issuer_chain, quote);
  const rootList = requireRevocationList(
    collateral.root_ca_crl,
    root,
    nowMs,
    "root's revocation list",
  );
  const pckList = requireRevocationList(
    collateral.pck_crl,
    pckIssuer,
    nowMs,
    "PCK revocation list",
  );
  const tcbSigner = signerOf(collateral.tcb_info_issuer_chain, root, nowMs, "TCB information");
  const qeSigner = signerOf(collateral.qe_identity_issuer_chain, root, nowMs, "enclave identity");
  for (const certificate of [...chain.slice(1), tcbSigner, qeSigner]) {
    if (rootList.revoked.has(serialOf(certificate.serialNumber)))
      throw revoked("a certificate that issues others");
  }
  if (pckList.revoked.has(serialOf(pck.serialNumber)))
    throw revoked("the certificate of the machine");

  const { tcb_info, tcb_info_signature, qe_identity, qe_identity_signature } = collateral;
  requireSigned(tcb_info, tcbSigner, tcb_info_signature, "tcb_info_signature");
  requireSigned(qe_identity, qeSigner, qe_identity_signature, "qe_identity_signature");
  const tcbInfo = readTcbInfo(tcb_info);
  const qeIdentity = readQeIdentity(qe_identity);
  requireInForce(tcbInfo, nowMs, "TCB information");
  requireInForce(qeIdentity, nowMs, "identity of quoting enclaves");
  requireSameMachine(tcbInfo, qeIdentity, quote);
  const ends = [
    tcbInfo.nextUpdate,
    qeIdentity.nextUpdate,
    rootList.nextUpdateMs,
    pckList.nextUpdateMs,
  ];
  return { tcbInfo, qeIdentity, untilMs: Math.min(...ends) };
}

/** The chain that comes with the list of revoked machines is the one of the quote, from its second certificate on. */
function requireListIssuer(text: string, { chain }: SignedQuote): void {
  const told = certificatesOf(text, "chain of the PCK revocation list");
  const isSame = told.every((certificate, index) => chain[index + 1]?.raw.equals(certificate.raw));
  if (!isSame)
    throw refused(
      "crl_issuer",
      "the PCK revocation list comes with another chain than the quote's",
    );
}

/** Intel signs collateral with a certificate straight below the root; that of a machine is none. */
function signerOf(
  text: string,
  root: X509Certificate,
  nowMs: number,
  what: string,
): X509Certificate {
  const name = `chain of the ${what}`;
  const chain = requireChain(certificatesOf(text, name), root, nowMs, name);
  const [signer = root] = chain;
  if (chain.length === 2 && platformOf(signer) === null) return signer;
  throw refused("collateral_signer", `the ${what} is signed by a certificate that may not sign it`);
}

function requireSigned(text: string, signer: X509Certificate, hex: string, code: string): void {
  if (isSigned(Buffer.from(text, "utf8"), signer.publicKey, Buffer.from(hex, "hex"))) return;
  throw refused(code, `the collateral has a ${code.replaceAll("_", " ")} that does not hold`);
}

function requireInForce(
  { issueDate, nextUpdate }: Pick<TcbInfo, "issueDate" | "nextUpdate">,
  nowMs: number,
  what: string,
): void {
  if (nowMs >= issueDate && nowMs <= nextUpdate) return;
  const fault = nowMs < issueDate ? "is not in force yet" : "has ended";
  throw refused(
    "collateral_outdated",
    `the ${what} in the collateral ${fault}`,
    `fetch collateral again, and ${checkClock}`,
  );
}

function requireSameMachine(tcbInfo: TcbInfo, qeIdentity: QeIdentity, quote: SignedQuote): void {
  const isSame =
    tcbInfo.fmspc.toLowerCase() === quote.platform.fmspc &&
    tcbInfo.id === "TDX" &&
    qeIdentity.id === "TD_QE";
  if (isSame) return;
  throw refused(
    "collateral_other_machine",
    `the collateral is for another kind of machine than FMSPC ${quote.platform.fmspc}`,
  );
}

const revoked = (what: string) => refused("certificate_revoked", `Intel has revoked ${what}`);
