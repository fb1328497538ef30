import { readOrRefuse, refused } from "./refusal.ts";

export const reportLayout = [
  ["teeTcbSvn", 16],
  ["mrSeam", 48],
  ["mrSignerSeam", 48],
  ["seamAttributes", 8],
  ["tdAttributes", 8],
  ["xfam", 8],
  ["mrTd", 48],
  ["mrConfigId", 48],
  ["mrOwner", 48],
  ["mrOwnerConfig", 48],
  ["rtMr", 4 * 48],
  ["reportData", 64],
] as const;

/** The values are in hexadecimal. */
export type TdReport = Record<(typeof reportLayout)[number][0], string>;

export type QuoteParts = ReturnType<typeof readQuote>;

const maxBytes = 32_768;
const headerBytes = 48;
const reportBytes = 584;
/** TDX 1.5 appends TEE_TCB_SVN_2 and MRSERVICETD. */
const report15Bytes = reportBytes + 64;
const tdxTeeType = 0x81;
const intelVendor = "939a7233f79c4ca9940a0db3957f0607";
const [ecdsaP256, chainInPem, qeReportData] = [2, 5, 6];

export function readQuote(quote: Uint8Array) {
  const bytes = Buffer.from(quote.buffer, quote.byteOffset, quote.byteLength);
  if (bytes.length > maxBytes) throw malformed(`it is longer than ${maxBytes} bytes`);
  return readOrRefuse("quote_malformed", "invalid quote", () => {
    const { start, end } = locateReport(bytes);
    const signaturesEnd = end + 4 + bytes.readUInt32LE(end);
    // Guest agents pad quotes with zeros.
    if (signaturesEnd > bytes.length || bytes.subarray(signaturesEnd).some((byte) => byte !== 0)) {
      throw malformed("its signature data has the wrong length");
    }
    const signedBytes = bytes.subarray(0, end);
    const report = readReport(bytes.subarray(start, end));
    return {
      signed: signedBytes,
      report,
      ...readSignatures(bytes.subarray(end + 4, signaturesEnd)),
    };
  });
}

function locateReport(bytes: Buffer): { start: number; end: number } {
  const version = bytes.readUInt16LE(0);
  if (version !== 4 && version !== 5) throw unsupported(`version ${version}`);
  if (bytes.readUInt32LE(4) !== tdxTeeType) throw unsupported("not a TDX quote");
  if (bytes.readUInt16LE(2) !== ecdsaP256) throw unsupported("its attestation key is not P-256");
  if (bytes.toString("hex", 12, 28) !== intelVendor) {
    throw unsupported("its quoting enclave is not Intel's");
  }
  if (version === 4) return { start: headerBytes, end: headerBytes + reportBytes };
  const [type, size] = [bytes.readUInt16LE(headerBytes), bytes.readUInt32LE(headerBytes + 2)];
  const isKnown = (type === 2 && size === reportBytes) || (type === 3 && size === report15Bytes);
  if (!isKnown) throw unsupported(`its report has type ${type} and ${size} bytes`);
  return { start: headerBytes + 6, end: headerBytes + 6 + size };
}

function readReport(bytes: Buffer): TdReport {
  let offset = 0;
  const fields = reportLayout.map(([name, length]) => {
    offset += length;
    return [name, bytes.toString("hex", offset - length, offset)];
  });
  return Object.fromEntries(fields);
}

/** Only the certificate chain's length varies. */
function readSignatures(bytes: Buffer) {
  requireType(bytes, 128, qeReportData);
  if (bytes.readUInt16LE(582) !== 32) throw malformed("its authentication data is not 32 bytes");
  requireType(bytes, 616, chainInPem);
  return {
    signature: bytes.subarray(0, 64),
    attestationKey: bytes.subarray(64, 128),
    qeReport: bytes.subarray(134, 518),
    qeReportSignature: bytes.subarray(518, 582),
    qeAuthData: bytes.subarray(584, 616),
    chain: bytes.toString("latin1", 622),
  };
}

function requireType(bytes: Buffer, offset: number, type: number): void {
  const value = bytes.readUInt16LE(offset);
  if (value !== type) throw unsupported(`it has certification data of type ${value}, not ${type}`);
  if (bytes.readUInt32LE(offset + 2) !== bytes.length - offset - 6) {
    throw malformed("its certification data has the wrong length");
  }
}

const malformed = (reason: string) => refused("quote_malformed", `invalid quote: ${reason}`);
const unsupported = (reason: string) =>
  refused(
    "quote_unsupported",
    `the quote cannot be verified: ${reason}`,
    "only TDX quotes (versions 4 and 5) that contain their PCK chain can be verified",
  );
