import { type KeyObject, verify, type X509Certificate } from "node:crypto";
import { checkClock } from "./certificate-chain.ts";
import { namesOf } from "./certificates.ts";
import { type DerValue, hexOf, readDer, requireTag, tags, timeOf, valuesIn } from "./der.ts";
import { readOrRefuse, refused } from "./refusal.ts";

/** A list of revoked certificates (RFC 5280) that its issuer has signed; times are Unix milliseconds. */
export type RevocationList = { nextUpdateMs: number; revoked: ReadonlySet<string> };

/** ecdsa-with-SHA256. */
const signatureAlgorithm = "2a8648ce3d040302";

/** Most bytes of a list, far beyond Intel's. */
const mostBytes = 262_144;

/**
 * Errors: `evidence_refused` with `crl_malformed`, `crl_issuer`, `crl_signature` or `crl_outdated`.
 * @param hex the list in hexadecimal digits
 */
export function requireRevocationList(
  hex: string,
  issuer: X509Certificate,
  nowMs: number,
  what: string,
): RevocationList {
  const list = readOrRefuse("crl_malformed", `the ${what} cannot be read`, () => readList(hex));
  if (!list.issuer.equals(namesOf(issuer).subject)) {
    throw refused("crl_issuer", `the ${what} is of another issuer`);
  }
  if (!isSigned(list, issuer.publicKey)) {
    throw refused("crl_signature", `the ${what} is not signed by its issuer`);
  }
  if (nowMs < list.thisUpdateMs || nowMs > list.nextUpdateMs) {
    throw refused(
      "crl_outdated",
      `the ${what} is valid at another time`,
      `fetch collateral again, and ${checkClock}`,
    );
  }
  return list;
}

type ReadList = RevocationList & {
  signed: Buffer;
  signature: Buffer;
  issuer: Buffer;
  thisUpdateMs: number;
};

function readList(hex: string): ReadList {
  if (hex.length > 2 * mostBytes)
    throw refused("crl_malformed", `a list is longer than ${mostBytes} bytes`);
  const [signed, algorithm, signature] = valuesIn(readDer(Buffer.from(hex, "hex")));
  const fields = valuesIn(signed);
  const isVersioned = fields[0]?.tag === tags.integer;
  const [, issuer, thisUpdate, nextUpdate, entries] = isVersioned ? fields.slice(1) : fields;
  const identifier = requireTag(valuesIn(algorithm)[0], tags.objectIdentifier);
  if (identifier.content.toString("hex") !== signatureAlgorithm) {
    throw refused("crl_malformed", "a list is not signed with ECDSA and SHA-256");
  }
  const revoked = entries?.tag === tags.sequence ? valuesIn(entries) : [];
  return {
    signed: requireTag(signed, tags.sequence).whole,
    signature: bytesIn(requireTag(signature, tags.bitString)),
    issuer: requireTag(issuer, tags.sequence).whole,
    thisUpdateMs: timeOf(thisUpdate),
    nextUpdateMs: timeOf(nextUpdate),
    revoked: new Set(revoked.map((entry) => hexOf(valuesIn(entry)[0]))),
  };
}

/** A bit string of whole bytes: its first byte says how many bits of the last one are left out. */
function bytesIn({ content }: DerValue): Buffer {
  if (content[0] !== 0)
    throw refused("crl_malformed", "a list has a signature that is not whole bytes");
  return content.subarray(1);
}

function isSigned(list: ReadList, key: KeyObject): boolean {
  return verify("sha256", list.signed, key, list.signature);
}
