import { X509Certificate } from "node:crypto";
import { withoutEnding } from "@earshot/query/tree";
import {
  AsnArray,
  AsnConvert,
  AsnProp,
  AsnPropTypes,
  AsnType,
  AsnTypeTypes,
} from "@peculiar/asn1-schema";
import { Certificate } from "@peculiar/asn1-x509";
import { readOrRefuse, refused } from "./refusal.ts";

export type PlatformIds = { ppid: string | null; platformInstanceId: string | null; fmspc: string };

const maxCertificates = 4;
const maxBytes = 8_192;
export const clockHint = "check the clock of the verifying machine";

/** Extension of PCK certificates: a sequence of id and value pairs. */
export const sgxExtension = "1.2.840.113741.1.13.1";
export class SgxItem {
  id = "";
  value = new ArrayBuffer(0);
}
AsnType({ type: AsnTypeTypes.Sequence })(SgxItem);
AsnProp({ type: AsnPropTypes.ObjectIdentifier })(SgxItem.prototype, "id");
AsnProp({ type: AsnPropTypes.Any })(SgxItem.prototype, "value");
export class SgxItems extends AsnArray<SgxItem> {}
AsnType({ type: AsnTypeTypes.Sequence, itemType: SgxItem })(SgxItems);

export function parseCertificates(chain: string, what: string): X509Certificate[] {
  const malformed = (reason: string) => refused("chain_malformed", `the ${what} ${reason}`);
  if (chain.length > maxCertificates * maxBytes) {
    throw malformed(`is longer than ${maxCertificates} certificates`);
  }
  const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
  const blocks = [...chain.matchAll(block)];
  if (withoutEnding(chain.replaceAll(block, ""), "\0").trim() !== "") {
    throw malformed("contains something other than certificates");
  }
  if (blocks.length < 2 || blocks.length > maxCertificates) {
    throw malformed(`has ${blocks.length} certificates instead of 2 to ${maxCertificates}`);
  }
  return blocks.map(([, base64 = ""]) =>
    readOrRefuse("chain_malformed", `the ${what} contains an unreadable certificate`, () => {
      const certificate = new X509Certificate(Buffer.from(base64, "base64"));
      if (certificate.publicKey.asymmetricKeyDetails?.namedCurve === "prime256v1") {
        return certificate;
      }
      throw malformed("contains a certificate whose key is not P-256");
    }),
  );
}

/** Returns the chain up to the pinned root, which the input may omit. */
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
      `the ${what} does not lead to the root for this kind of evidence`,
      "a simulated quote must be declared as simulated, and is verified only against its own root",
    );
  }
  const chain = last.raw.equals(root.raw) ? [...certificates] : [...certificates, root];
  for (const [index, certificate] of chain.entries()) {
    const name = `certificate ${index + 1} of the ${what}`;
    const issuer = chain[index + 1];
    if (certificate.ca !== index > 0) {
      throw refused("chain_not_ca", `${name} ${index > 0 ? "is not" : "is"} a CA certificate`);
    }
    if (issuer !== undefined && !certificate.checkIssued(issuer)) {
      throw refused("chain_issuer", `${name} was not issued by the next one`);
    }
    if (issuer !== undefined && !isIssuedBy(certificate, issuer)) {
      throw refused("chain_signature", `${name} is not signed by the next one`);
    }
    const hasStarted = nowMs >= certificate.validFromDate.getTime();
    if (!hasStarted || nowMs > certificate.validToDate.getTime()) {
      throw refused(
        "chain_outdated",
        `${name} ${hasStarted ? "has expired" : "is not valid yet"}`,
        clockHint,
      );
    }
  }
  return chain;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

export const normaliseSerial = (hex: string): string => hex.toLowerCase().replace(/^0+(?=.)/, "");

export function readPlatformIds(certificate: X509Certificate): PlatformIds | null {
  return readOrRefuse("chain_malformed", "the PCK certificate has an unreadable extension", () => {
    const { tbsCertificate } = AsnConvert.parse(certificate.raw, Certificate);
    const [extension, duplicate] =
      tbsCertificate.extensions?.filter(({ extnID }) => extnID === sgxExtension) ?? [];
    if (extension === undefined) return null;
    const items = AsnConvert.parse(extension.extnValue.buffer, SgxItems);
    const fmspc = findOctets(items, 4, 6);
    if (duplicate !== undefined || fmspc === null) {
      throw refused("chain_malformed", "the PCK certificate must have one FMSPC");
    }
    return { ppid: findOctets(items, 1, 16), platformInstanceId: findOctets(items, 6, 16), fmspc };
  });
}

function findOctets(items: SgxItems, number: number, length: number): string | null {
  const found = items.find(({ id }) => id === `${sgxExtension}.${number}`);
  const der = Buffer.from(found?.value ?? new ArrayBuffer(0));
  const isOctets = der[0] === 0x04 && der[1] === length && der.length === length + 2;
  return isOctets ? der.toString("hex", 2) : null;
}
