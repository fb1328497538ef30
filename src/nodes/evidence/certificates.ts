import { X509Certificate } from "node:crypto";
import { withoutEnding } from "../../query/characters.ts";
import { type DerValue, readDer, requireTag, tags, valuesIn } from "./der.ts";
import { readOrRefuse, refused } from "./refusal.ts";

/** What Intel says of a machine in its PCK certificate; hexadecimal digits. */
export type PlatformIds = { ppid: string | null; platformInstanceId: string | null; fmspc: string };

const mostCertificates = 4;
const mostBytes = 8_192;

/** 1.2.840.113741.1.13.1: what Intel adds to PCK certificates. */
const sgxExtension = Buffer.from("2a864886f84d010d01", "hex");

/**
 * The certificates of a chain in PEM, in their order. Nothing but white space stands between them, and zero bytes after them.
 * Errors: `evidence_refused` (`chain_malformed`).
 */
export function certificatesOf(chain: string, what: string): X509Certificate[] {
  if (chain.length > mostCertificates * mostBytes) {
    throw refused("chain_malformed", `the ${what} is longer than ${mostCertificates} certificates`);
  }
  const blocks = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
  const certificates: X509Certificate[] = [];
  let end = 0;
  for (const block of chain.matchAll(blocks)) {
    requireBlank(chain.slice(end, block.index), what);
    end = block.index + block[0].length;
    certificates.push(certificateOf(Buffer.from(block[1] ?? "", "base64"), what));
  }
  requireBlank(withoutEnding(chain.slice(end), "\0"), what);
  if (certificates.length < 2 || certificates.length > mostCertificates) {
    throw refused(
      "chain_malformed",
      `the ${what} has ${certificates.length} certificates, and 2 to ${mostCertificates} are a chain`,
    );
  }
  return certificates;
}

function certificateOf(der: Uint8Array, what: string): X509Certificate {
  return readOrRefuse("chain_malformed", `the ${what} holds what is no certificate`, () => {
    readDer(der);
    const certificate = new X509Certificate(der);
    namesOf(certificate);
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    if (asymmetricKeyType === "ec" && asymmetricKeyDetails?.namedCurve === "prime256v1") {
      return certificate;
    }
    throw refused("chain_malformed", `the ${what} holds a certificate of another key than P-256`);
  });
}

/** Who issued a certificate and whom it is of, in DER: names are the same only byte for byte. */
export function namesOf(certificate: X509Certificate): { issuer: Buffer; subject: Buffer } {
  const fields = fieldsOf(certificate);
  const [issuer, , subject] = fields.slice(fields[0]?.tag === 0xa0 ? 3 : 2);
  return {
    issuer: requireTag(issuer, tags.sequence).whole,
    subject: requireTag(subject, tags.sequence).whole,
  };
}

/** The serial number in hexadecimal digits, without zeros before it. */
export function serialOf(certificate: X509Certificate): string {
  return certificate.serialNumber.toLowerCase().replace(/^0+(?=.)/, "");
}

/** Null when it is no PCK certificate. Errors: `evidence_refused` (`chain_malformed`). */
export function platformOf(certificate: X509Certificate): PlatformIds | null {
  return readOrRefuse(
    "chain_malformed",
    "the PCK certificate has an extension that cannot be read",
    () => readPlatform(certificate),
  );
}

function readPlatform(certificate: X509Certificate): PlatformIds | null {
  const list = fieldsOf(certificate).find(({ tag }) => tag === 0xa3);
  if (list === undefined) return null;
  const held = valuesIn(valuesIn(list, 0xa3)[0])
    .map((extension) => valuesIn(extension))
    .filter(([name]) => name?.content.equals(sgxExtension));
  if (held.length === 0) return null;
  const content = requireTag(held[0]?.at(-1), tags.octetString).content;
  const items = valuesIn(readDer(content)).map((item) => valuesIn(item));
  const fmspc = itemOf(items, 4, 6);
  if (held.length > 1 || fmspc === null)
    throw refused("chain_malformed", "the PCK certificate names no FMSPC, or two");
  return { ppid: itemOf(items, 1, 16), platformInstanceId: itemOf(items, 6, 16), fmspc };
}

/** The item whose name is that of the extension with one more number; an octet string of that length. */
function itemOf(items: readonly DerValue[][], number: number, length: number): string | null {
  const name = Buffer.concat([sgxExtension, Buffer.of(number)]);
  const [, value] = items.find(([identifier]) => identifier?.content.equals(name)) ?? [];
  if (value?.tag !== tags.octetString || value.content.length !== length) return null;
  return value.content.toString("hex");
}

function fieldsOf(certificate: X509Certificate): DerValue[] {
  return valuesIn(valuesIn(readDer(certificate.raw))[0]);
}

function requireBlank(text: string, what: string): void {
  if (text.trim() !== "")
    throw refused("chain_malformed", `the ${what} holds more than certificates`);
}
