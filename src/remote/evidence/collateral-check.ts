import { verify, type X509Certificate } from "node:crypto";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate, CertificateList } from "@peculiar/asn1-x509";
import {
  clockHint,
  normaliseSerial,
  parseCertificates,
  readPlatformIds,
  requireChain,
} from "./certificates.ts";
import { type QeIdentity, readQeIdentity, readTcbInfo, type TcbInfo } from "./collateral-text.ts";
import type { Collateral } from "./evidence.ts";
import { readOrRefuse, refused } from "./refusal.ts";
import { isSigned, type SignedQuote } from "./signed-quote.ts";

export type CheckedCollateral = { tcbInfo: TcbInfo; qeIdentity: QeIdentity; validUntilMs: number };

/** CRL issuers must be in the quote's own chain. */
export function requireCollateral(
  collateral: Collateral,
  { root, chain, platform }: SignedQuote,
  nowMs: number,
): CheckedCollateral {
  const [pck = root, pckIssuer = root] = chain;
  const crlChain = parseCertificates(collateral.pck_crl_issuer_chain, "PCK CRL chain");
  if (!crlChain.every(({ raw }, index) => chain[index + 1]?.raw.equals(raw))) {
    throw refused("crl_issuer", "the PCK CRL's issuer chain differs from the quote's");
  }
  const rootList = requireRevocationList(collateral.root_ca_crl, root, nowMs, "root CRL");
  const pckList = requireRevocationList(collateral.pck_crl, pckIssuer, nowMs, "PCK CRL");
  const tcbSigner = readSigner(collateral.tcb_info_issuer_chain, root, nowMs, "TCB information");
  const qeSigner = readSigner(collateral.qe_identity_issuer_chain, root, nowMs, "QE identity");
  const isRevoked = [...chain.slice(1), tcbSigner, qeSigner].some(({ serialNumber }) =>
    rootList.revokedSerials.has(normaliseSerial(serialNumber)),
  );
  if (isRevoked) throw refused("certificate_revoked", "Intel has revoked an issuing certificate");
  if (pckList.revokedSerials.has(normaliseSerial(pck.serialNumber))) {
    throw refused("certificate_revoked", "Intel has revoked the machine's certificate");
  }

  const { tcb_info, tcb_info_signature, qe_identity, qe_identity_signature } = collateral;
  requireSigned(tcb_info, tcbSigner, tcb_info_signature, "tcb_info_signature");
  requireSigned(qe_identity, qeSigner, qe_identity_signature, "qe_identity_signature");
  const tcbInfo = readTcbInfo(tcb_info);
  const qeIdentity = readQeIdentity(qe_identity);
  requireInForce(tcbInfo, nowMs, "TCB information");
  requireInForce(qeIdentity, nowMs, "QE identity");
  const isForMachine = tcbInfo.fmspc.toLowerCase() === platform.fmspc;
  if (!isForMachine || tcbInfo.id !== "TDX" || qeIdentity.id !== "TD_QE") {
    throw refused(
      "collateral_other_machine",
      `the collateral is for a kind of machine other than FMSPC ${platform.fmspc}`,
    );
  }
  const nextUpdates = [tcbInfo.nextUpdate, qeIdentity.nextUpdate];
  return {
    tcbInfo,
    qeIdentity,
    validUntilMs: Math.min(...nextUpdates, rootList.nextUpdateMs, pckList.nextUpdateMs),
  };
}

function readSigner(
  text: string,
  root: X509Certificate,
  nowMs: number,
  what: string,
): X509Certificate {
  const name = `${what} chain`;
  const chain = requireChain(parseCertificates(text, name), root, nowMs, name);
  const [signer = root] = chain;
  if (chain.length === 2 && readPlatformIds(signer) === null) return signer;
  throw refused(
    "collateral_signer",
    `the ${what} is signed by a certificate that is not allowed to sign it`,
  );
}

function requireSigned(text: string, signer: X509Certificate, hex: string, code: string): void {
  if (isSigned(Buffer.from(text, "utf8"), signer.publicKey, Buffer.from(hex, "hex"))) return;
  throw refused(code, `the collateral has an invalid ${code.replaceAll("_", " ")}`);
}

function requireInForce(document: QeIdentity, nowMs: number, what: string): void {
  if (nowMs >= document.issueDate && nowMs <= document.nextUpdate) return;
  throw refused(
    "collateral_outdated",
    `the ${what} in the collateral ${nowMs < document.issueDate ? "is not valid yet" : "has expired"}`,
    `fetch collateral again, and ${clockHint}`,
  );
}

const maxListBytes = 262_144;

function requireRevocationList(
  hex: string,
  issuer: X509Certificate,
  nowMs: number,
  what: string,
): { nextUpdateMs: number; revokedSerials: ReadonlySet<string> } {
  const list = readOrRefuse("crl_malformed", `invalid ${what}`, () => readList(hex));
  const { thisUpdate, nextUpdate, revokedCertificates = [] } = list.tbsCertList;
  const { subject } = AsnConvert.parse(issuer.raw, Certificate).tbsCertificate;
  if (!encodeDer(list.tbsCertList.issuer).equals(encodeDer(subject))) {
    throw refused("crl_issuer", `the ${what} is from another issuer`);
  }
  const signedBytes = Buffer.from(list.tbsCertListRaw ?? new ArrayBuffer(0));
  if (!verify("sha256", signedBytes, issuer.publicKey, Buffer.from(list.signature))) {
    throw refused("crl_signature", `the ${what} is not signed by its issuer`);
  }
  const nextUpdateMs = nextUpdate?.getTime().getTime() ?? 0;
  if (nowMs < thisUpdate.getTime().getTime() || nowMs > nextUpdateMs) {
    throw refused(
      "crl_outdated",
      `the ${what} is not currently valid`,
      `fetch collateral again, and ${clockHint}`,
    );
  }
  const serials = revokedCertificates.map(({ userCertificate }) =>
    normaliseSerial(Buffer.from(userCertificate).toString("hex")),
  );
  return { nextUpdateMs, revokedSerials: new Set(serials) };
}

function readList(hex: string): CertificateList {
  const bytes = Buffer.from(hex, "hex");
  const list = AsnConvert.parse(bytes.subarray(0, maxListBytes), CertificateList);
  const isSameAlgorithm = list.signatureAlgorithm.isEqual(list.tbsCertList.signature);
  if (isSameAlgorithm && encodeDer(list).equals(bytes)) return list;
  throw refused("crl_malformed", "the revocation list is not in DER, or has two algorithms");
}

const encodeDer = (value: unknown): Buffer => Buffer.from(AsnConvert.serialize(value));
