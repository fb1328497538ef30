import { createHash, type KeyObject, sign } from "node:crypto";
import { reportLayout, type TdReport } from "../quote-reader.ts";
import type { KeyPair } from "./authority.ts";

export type QuoteFields = Partial<Record<Exclude<keyof TdReport, "rtMr">, Uint8Array>> & {
  version: 4 | 5;
  rtMr: readonly Uint8Array[];
  mrServiceTd: Uint8Array;
  qeMrSigner: Uint8Array;
  qeAttributes: number;
  qeProductId: number;
  qeSvn: number;
};

export const defaultFields = {
  version: 4,
  teeTcbSvn: Buffer.from("05010300000000000000000000000000", "hex"),
  tdAttributes: Buffer.from("0000001000000000", "hex"),
  xfam: Buffer.from("e702060000000000", "hex"),
  mrTd: Buffer.alloc(48, 0x11),
  rtMr: [0x20, 0x21, 0x22, 0x23].map((byte) => Buffer.alloc(48, byte)),
  mrServiceTd: Buffer.alloc(48),
  qeMrSigner: Buffer.alloc(32, 0xdc),
  qeAttributes: 0x11,
  qeProductId: 2,
  qeSvn: 4,
} satisfies QuoteFields;

export function writeQuote(
  fields: QuoteFields,
  signer: { attestation: KeyPair; pckKey: KeyObject; chain: string; cpuSvn: Uint8Array },
): Buffer {
  const { attestation, pckKey, cpuSvn, chain } = signer;
  const signedBytes = Buffer.concat([...header(fields.version), ...report(fields)]);
  const publicKey = attestation.publicKey.export({ type: "spki", format: "der" }).subarray(-64);
  const authData = Buffer.alloc(32);
  const qeReport = Buffer.alloc(384);
  qeReport.set(cpuSvn, 0);
  qeReport[48] = fields.qeAttributes;
  qeReport.set(fields.qeMrSigner, 128);
  qeReport.writeUInt16LE(fields.qeProductId, 256);
  qeReport.writeUInt16LE(fields.qeSvn, 258);
  qeReport.set(createHash("sha256").update(publicKey).update(authData).digest(), 320);
  const certification = Buffer.concat([
    qeReport,
    signRaw(pckKey, qeReport),
    uint16(authData.length),
    authData,
    block(5, Buffer.from(chain, "latin1")),
  ]);
  const signatures = Buffer.concat([
    signRaw(attestation.privateKey, signedBytes),
    publicKey,
    block(6, certification),
  ]);
  return Buffer.concat([signedBytes, uint32(signatures.length), signatures]);
}

function header(version: number): Buffer[] {
  const vendor = Buffer.from("939a7233f79c4ca9940a0db3957f0607", "hex");
  const start = [uint16(version), uint16(2), uint32(0x81), Buffer.alloc(4), vendor];
  return [...start, Buffer.alloc(20)];
}

function report(fields: QuoteFields): Uint8Array[] {
  const values = { ...fields, rtMr: Buffer.concat(fields.rtMr) };
  const body = reportLayout.map(([name, length]) => values[name] ?? Buffer.alloc(length));
  if (fields.version === 4) return body;
  return [
    uint16(3),
    uint32(648),
    ...body,
    fields.teeTcbSvn ?? Buffer.alloc(16),
    fields.mrServiceTd,
  ];
}

export function signRaw(key: KeyObject, bytes: Uint8Array): Buffer {
  return sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
}

const block = (type: number, content: Uint8Array) =>
  Buffer.concat([uint16(type), uint32(content.length), content]);

const uint16 = (value: number): Buffer => Buffer.of(value & 0xff, value >> 8);
const uint32 = (value: number): Buffer =>
  Buffer.concat([uint16(value & 0xffff), uint16(value >> 16)]);
