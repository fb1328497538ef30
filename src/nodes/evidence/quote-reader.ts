import { readOrRefuse, refused } from "./refusal.ts";

/** A quote of TDX (Intel DCAP, versions 4 and 5) taken apart; nothing of it is verified. */
export type QuoteParts = {
  /** Header and report: what the attestation key signs. */
  signed: Buffer;
  report: TdReport;
  signature: Buffer;
  /** P-256, its two coordinates. */
  attestationKey: Buffer;
  /** The report of the quoting enclave, which vouches for the attestation key. */
  qeReport: Buffer;
  qeReportSignature: Buffer;
  qeAuthData: Buffer;
  /** The PCK chain in PEM. */
  chain: string;
};

export type TdReport = {
  teeTcbSvn: Buffer;
  mrSeam: Buffer;
  mrSignerSeam: Buffer;
  seamAttributes: Buffer;
  tdAttributes: Buffer;
  xfam: Buffer;
  mrTd: Buffer;
  mrConfigId: Buffer;
  mrOwner: Buffer;
  mrOwnerConfig: Buffer;
  rtMr: readonly Buffer[];
  reportData: Buffer;
};

const mostBytes = 32_768;
const tdx = 0x81;
/** Names Intel as the maker of the quoting enclave. */
const intelVendor = "939a7233f79c4ca9940a0db3957f0607";
const [ecdsaP256, chainInPem, qeReportData] = [2, 5, 6];

/** Errors: `evidence_refused` with `quote_malformed`, or `quote_unsupported` where the format is one that is not read. */
export function readQuote(quote: Uint8Array): QuoteParts {
  if (quote.length > mostBytes) {
    throw refused("quote_malformed", `the quote is longer than ${mostBytes} bytes`);
  }
  const bytes = Buffer.from(quote.buffer, quote.byteOffset, quote.byteLength);
  return readOrRefuse("quote_malformed", "the quote cannot be read", () => readParts(bytes));
}

function readParts(bytes: Buffer): QuoteParts {
  const reader = byteReader(bytes);
  const version = readVersion(reader.take(48));
  const bodyType = version === 5 ? readBodyType(reader.take(6)) : 2;
  const report = tdReport(reader.take(584));
  if (bodyType === 3) reader.take(64);
  const signed = bytes.subarray(0, reader.offset());
  const authentication = byteReader(reader.take(reader.take(4).readUInt32LE()));
  requireZeros(reader.rest(), "after its signatures");
  const parts = readAuthentication(authentication);
  return { signed, report, ...parts };
}

function readVersion(header: Buffer): number {
  const version = header.readUInt16LE(0);
  if (version !== 4 && version !== 5) throw unsupported(`version ${version}`);
  if (header.readUInt32LE(4) !== tdx) throw unsupported("the quote of a machine other than TDX");
  if (header.readUInt16LE(2) !== ecdsaP256)
    throw unsupported("an attestation key other than P-256");
  if (header.subarray(12, 28).toString("hex") !== intelVendor) {
    throw unsupported("a quoting enclave that is not Intel's");
  }
  return version;
}

function readBodyType(descriptor: Buffer): 2 | 3 {
  const type = descriptor.readUInt16LE(0);
  const size = descriptor.readUInt32LE(2);
  if (type === 2 && size === 584) return 2;
  if (type === 3 && size === 648) return 3;
  throw unsupported(`a report of type ${type} with ${size} bytes`);
}

function tdReport(bytes: Buffer): TdReport {
  const reader = byteReader(bytes);
  return {
    teeTcbSvn: reader.take(16),
    mrSeam: reader.take(48),
    mrSignerSeam: reader.take(48),
    seamAttributes: reader.take(8),
    tdAttributes: reader.take(8),
    xfam: reader.take(8),
    mrTd: reader.take(48),
    mrConfigId: reader.take(48),
    mrOwner: reader.take(48),
    mrOwnerConfig: reader.take(48),
    rtMr: [reader.take(48), reader.take(48), reader.take(48), reader.take(48)],
    reportData: reader.take(64),
  };
}

function readAuthentication(outer: ByteReader): Omit<QuoteParts, "signed" | "report"> {
  const signature = outer.take(64);
  const attestationKey = outer.take(64);
  const reader = byteReader(certification(outer, qeReportData));
  const qeReport = reader.take(384);
  const qeReportSignature = reader.take(64);
  const qeAuthData = reader.take(reader.take(2).readUInt16LE());
  // What the report vouches for is reckoned from 32 bytes: more of them, or fewer, would not be vouched for.
  if (qeAuthData.length !== 32) throw malformed("its authentication data are not 32 bytes");
  const chain = certification(reader, chainInPem).toString("latin1");
  return { signature, attestationKey, qeReport, qeReportSignature, qeAuthData, chain };
}

/** Certification data of that type, which nothing follows. */
function certification(reader: ByteReader, type: number): Buffer {
  const found = reader.take(2).readUInt16LE();
  if (found !== type) throw unsupported(`certification data of type ${found} in place of ${type}`);
  const content = reader.take(reader.take(4).readUInt32LE());
  if (reader.rest().length > 0) throw malformed("bytes follow its certificates");
  return content;
}

type ByteReader = { take(length: number): Buffer; offset(): number; rest(): Buffer };

function byteReader(bytes: Buffer): ByteReader {
  let offset = 0;
  return {
    take: (length) => {
      const end = offset + length;
      if (end > bytes.length) throw malformed("it ends too early");
      const taken = bytes.subarray(offset, end);
      offset = end;
      return taken;
    },
    offset: () => offset,
    rest: () => bytes.subarray(offset),
  };
}

/** Guest agents pad quotes with zero bytes. */
function requireZeros(bytes: Buffer, where: string): void {
  if (bytes.some((byte) => byte !== 0)) throw malformed(`bytes other than zero stand ${where}`);
}

const malformed = (reason: string) =>
  refused("quote_malformed", `the quote cannot be read: ${reason}`);
const unsupported = (what: string) =>
  refused(
    "quote_unsupported",
    `the quote cannot be verified: ${what}`,
    "quotes of TDX (versions 4 and 5) that bring their PCK chain are verified",
  );
