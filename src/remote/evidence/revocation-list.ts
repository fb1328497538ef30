import { verify, type X509Certificate } from "node:crypto";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate, CertificateList } from "@peculiar/asn1-x509";
import { checkClock, serialOf } from "./certificates.ts";
import { readOrRefuse, refused } from "./refusal.ts";

export type RevocationList = { nextUpdateMs: number; revoked: ReadonlySet<string> };

const mostBytes = 262_144;

export function requireRevocationList(
  hex: string,
  issuer: X509Certificate,
  nowMs: number,
  what: string,
): RevocationList {
  const list = readOrRefuse("crl_malformed", `invalid ${what}`, () => readList(hex));
  const { thisUpdate, nextUpdate, revokedCertificates = [] } = list.tbsCertList;
  const { subject } = AsnConvert.parse(issuer.raw, Certificate).tbsCertificate;
  if (!derOf(list.tbsCertList.issuer).equals(derOf(subject))) {
    throw refused("crl_issuer", `the ${what} is from another issuer`);
  }
  const signed = Buffer.from(list.tbsCertListRaw ?? new ArrayBuffer(0));
  if (!verify("sha256", signed, issuer.publicKey, Buffer.from(list.signature))) {
    throw refused("crl_signature", `the ${what} is not signed by its issuer`);
  }
  const nextUpdateMs = nextUpdate?.getTime().getTime() ?? 0;
  if (nowMs < thisUpdate.getTime().getTime() || nowMs > nextUpdateMs) {
    throw refused(
      "crl_outdated",
      `the ${what} is not in force`,
      `fetch collateral again, and ${checkClock}`,
    );
  }
  const serials = revokedCertificates.map(({ userCertificate }) =>
    serialOf(Buffer.from(userCertificate).toString("hex")),
  );
  return { nextUpdateMs, revoked: new Set(serials) };
}

function readList(hex: string): CertificateList {
  const bytes = Buffer.from(hex, "hex");
  const list = AsnConvert.parse(bytes.subarray(0, mostBytes), CertificateList);
  const isSame = list.signatureAlgorithm.isEqual(list.tbsCertList.signature);
  if (isSame && derOf(list).equals(bytes)) return list;
  throw refused("crl_malformed", "the revocation list is not in DER, or has two algorithms");
}

const derOf = (value: unknown): Buffer => Buffer.from(AsnConvert.serialize(value));
