import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  bits,
  boolean,
  der,
  identifier,
  integer,
  octets,
  sequence,
  set,
  time,
  utf8,
} from "./der-writer.ts";

export type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };

/** From when until when, Unix milliseconds. */
export type Span = { fromMs: number; toMs: number };

/** What every certificate of the simulation says, so that nobody takes one for more. */
export const disclaimer = "SIMULATED - NOT A TEE";

const ecdsaSha256 = sequence(identifier("1.2.840.10045.4.3.2"));

export const makeKeyPair = (): KeyPair => generateKeyPairSync("ec", { namedCurve: "P-256" });

type CertificateFields = {
  name: string;
  issuer: { name: string; privateKey: KeyObject };
  publicKey: KeyObject;
  serial: number;
  mayIssue: boolean;
  valid: Span;
  /** Extensions beyond those that every certificate has. */
  extensions?: readonly Uint8Array[];
};

/** An X.509 certificate in DER. */
export function makeCertificate(fields: CertificateFields): Buffer {
  const { name, issuer, publicKey, serial, mayIssue, valid } = fields;
  const constraints = extension(
    "2.5.29.19",
    sequence(...(mayIssue ? [boolean(true)] : [])),
    "critical",
  );
  const usage = extension(
    "2.5.29.15",
    mayIssue ? bits(Buffer.of(0x06), 1) : bits(Buffer.of(0x80), 7),
    "critical",
  );
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(serial),
    ecdsaSha256,
    nameOf(issuer.name),
    sequence(time(valid.fromMs), time(valid.toMs)),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(constraints, usage, ...(fields.extensions ?? []))),
  );
  return signed(toBeSigned, issuer.privateKey);
}

/** A list of revoked certificates in DER. */
export function makeRevocationList(
  issuer: { name: string; privateKey: KeyObject },
  revokedSerials: readonly number[],
  valid: Span,
): Buffer {
  const entries = revokedSerials.map((serial) => sequence(integer(serial), time(valid.fromMs)));
  const toBeSigned = sequence(
    integer(1),
    ecdsaSha256,
    nameOf(issuer.name),
    time(valid.fromMs),
    time(valid.toMs),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
  );
  return signed(toBeSigned, issuer.privateKey);
}

export function extension(name: string, content: Uint8Array, weight?: "critical"): Buffer {
  return sequence(
    identifier(name),
    ...(weight === undefined ? [] : [boolean(true)]),
    octets(content),
  );
}

export function pemOf(certificate: Uint8Array): string {
  const lines =
    Buffer.from(certificate)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function signed(toBeSigned: Buffer, key: KeyObject): Buffer {
  return sequence(toBeSigned, ecdsaSha256, bits(sign("sha256", toBeSigned, key)));
}

function nameOf(commonName: string): Buffer {
  const part = (type: string, text: string) => set(sequence(identifier(type), utf8(text)));
  return sequence(part("2.5.4.3", commonName), part("2.5.4.10", disclaimer));
}
