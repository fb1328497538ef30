import { createHash, type KeyObject, sign } from "node:crypto";
import type { KeyPair } from "./certificate-writer.ts";

/** What a quote can be made to say; bytes, each field of its own length. */
export type QuoteFields = {
  version: 4 | 5;
  teeTcbSvn: Uint8Array;
  mrSignerSeam: Uint8Array;
  seamAttributes: Uint8Array;
  tdAttributes: Uint8Array;
  xfam: Uint8Array;
  mrTd: Uint8Array;
  mrConfigId: Uint8Array;
  mrOwner: Uint8Array;
  mrOwnerConfig: Uint8Array;
  rtMr: readonly Uint8Array[];
  /** Of version 5 alone. */
  mrServiceTd: Uint8Array;
  qeMrSigner: Uint8Array;
  qeAttributes: number;
  qeProductId: number;
  qeSvn: number;
};

export const usualFields: QuoteFields = {
  version: 4,
  teeTcbSvn: Buffer.from("05010300000000000000000000000000", "hex"),
  mrSignerSeam: Buffer.alloc(48),
  seamAttributes: Buffer.alloc(8),
  tdAttributes: Buffer.from("0000001000000000", "hex"),
  xfam: Buffer.from("e702060000000000", "hex"),
  mrTd: Buffer.alloc(48, 0x11),
  mrConfigId: Buffer.alloc(48),
  mrOwner: Buffer.alloc(48),
  mrOwnerConfig: Buffer.alloc(48),
  rtMr: [0x20, 0x21, 0x22, 0x23].map((byte) => Buffer.alloc(48, byte)),
  mrServiceTd: Buffer.alloc(48),
  qeMrSigner: Buffer.alloc(32, 0xdc),
  qeAttributes: 0x11,
  qeProductId: 2,
  qeSvn: 4,
};

export type QuoteSigner = {
  attestation: KeyPair;
  /** Of the machine's certificate. */
  pckKey: KeyObject;
  chain: string;
  cpuSvn: Uint8Array;
};

/** A quote of TDX in Intel's format. */
export function writeQuote(
  reportData: Uint8Array,
  fields: QuoteFields,
  signer: QuoteSigner,
): Buffer {
  const signed = Buffer.concat([header(fields.version), ...body(reportData, fields)]);
  const { attestation, pckKey } = signer;
  const publicKey = attestation.publicKey.export({ type: "spki", format: "der" }).subarray(-64);
  const qeAuthData = Buffer.alloc(32);
  const qeReport = enclaveReport(fields, signer, Buffer.concat([publicKey, qeAuthData]));
  const certification = Buffer.concat([
    qeReport,
    signRaw(pckKey, qeReport),
    uint16(qeAuthData.length),
    qeAuthData,
    block(5, Buffer.from(signer.chain, "latin1")),
  ]);
  const authentication = Buffer.concat([
    signRaw(attestation.privateKey, signed),
    publicKey,
    block(6, certification),
  ]);
  return Buffer.concat([signed, uint32(authentication.length), authentication]);
}

function header(version: number): Buffer {
  const vendor = Buffer.from("939a7233f79c4ca9940a0db3957f0607", "hex");
  return Buffer.concat([
    uint16(version),
    uint16(2),
    uint32(0x81),
    Buffer.alloc(4),
    vendor,
    Buffer.alloc(20),
  ]);
}

function body(reportData: Uint8Array, fields: QuoteFields): Uint8Array[] {
  const report = [
    fields.teeTcbSvn,
    Buffer.alloc(48),
    fields.mrSignerSeam,
    fields.seamAttributes,
    fields.tdAttributes,
    fields.xfam,
    fields.mrTd,
    fields.mrConfigId,
    fields.mrOwner,
    fields.mrOwnerConfig,
    ...fields.rtMr,
    reportData,
  ];
  if (fields.version === 4) return report;
  return [uint16(3), uint32(648), ...report, fields.teeTcbSvn, fields.mrServiceTd];
}

/** The report of the quoting enclave, which vouches for the attestation key. */
function enclaveReport(
  fields: QuoteFields,
  { cpuSvn }: QuoteSigner,
  vouchedFor: Uint8Array,
): Buffer {
  const report = Buffer.alloc(384);
  report.set(cpuSvn, 0);
  report[48] = fields.qeAttributes;
  report.set(fields.qeMrSigner, 128);
  report.writeUInt16LE(fields.qeProductId, 256);
  report.writeUInt16LE(fields.qeSvn, 258);
  report.set(createHash("sha256").update(vouchedFor).digest(), 320);
  return report;
}

/** The two numbers of the signature, 32 bytes each. */
export function signRaw(key: KeyObject, bytes: Uint8Array): Buffer {
  return sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
}

const block = (type: number, content: Uint8Array) =>
  Buffer.concat([uint16(type), uint32(content.length), content]);

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
