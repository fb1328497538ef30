import { EarshotError } from "../../lib/errors.ts";

/** One value of DER (X.690): its tag, its content, and all of it with tag and length. */
export type DerValue = { tag: number; content: Buffer; whole: Buffer };

export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

/** The one value that the bytes are. Lengths are definite and as short as can be. Errors: `der_malformed`. */
export function readDer(bytes: Uint8Array): DerValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = valueAt(buffer, 0);
  if (value.whole.length !== buffer.length) throw malformed("bytes follow the value");
  return value;
}

/** The values in a sequence, or in what has another tag when one is given. Errors: `der_malformed`. */
export function valuesIn(value: DerValue | undefined, tag: number = tags.sequence): DerValue[] {
  const { content } = requireTag(value, tag);
  const values: DerValue[] = [];
  for (let offset = 0; offset < content.length; ) {
    const next = valueAt(content, offset);
    values.push(next);
    offset += next.whole.length;
  }
  return values;
}

/** The value itself when it has that tag. Errors: `der_malformed`. */
export function requireTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag === tag) return value;
  const found = value === undefined ? "nothing" : `0x${value.tag.toString(16)}`;
  throw malformed(`tag 0x${tag.toString(16)} was expected, and found ${found}`);
}

/** Unix milliseconds of a UTCTime or a GeneralizedTime, both in UTC. Errors: `der_malformed`. */
export function timeOf(value: DerValue | undefined): number {
  const text = value?.content.toString("latin1") ?? "";
  const [, shortYear = "", ...short] = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (value?.tag === tags.utcTime && short.length > 0) {
    return dateOf(Number(shortYear) + (Number(shortYear) < 50 ? 2000 : 1900), short);
  }
  const [, year = "", ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (value?.tag === tags.generalizedTime && parts.length > 0) return dateOf(Number(year), parts);
  throw malformed("a time was expected");
}

function dateOf(year: number, parts: readonly string[]): number {
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** A positive whole number in hexadecimal digits, without zeros before it. */
export function hexOf(value: DerValue | undefined): string {
  return (
    requireTag(value, tags.integer)
      .content.toString("hex")
      .replace(/^0+(?=.)/, "") || "0"
  );
}

function valueAt(bytes: Buffer, offset: number): DerValue {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw malformed("it ends too early");
  const { length, size } =
    first < 0x80 ? { length: first, size: 1 } : longLength(bytes, offset + 1);
  const start = offset + 1 + size;
  const end = start + length;
  if (end > bytes.length) throw malformed("it ends too early");
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(offset, end) };
}

function longLength(bytes: Buffer, offset: number): { length: number; size: number } {
  const digits = (bytes[offset] ?? 0) & 0x7f;
  if (digits === 0 || digits > 4)
    throw malformed("a length is indefinite, or of more than 4 bytes");
  if (offset + 1 + digits > bytes.length) throw malformed("it ends too early");
  const length = bytes.readUIntBE(offset + 1, digits);
  const least = digits === 1 ? 0x80 : 2 ** (8 * (digits - 1));
  if (length < least) throw malformed("a length is longer written than it has to be");
  return { length, size: 1 + digits };
}

function malformed(reason: string): EarshotError {
  return new EarshotError("der_malformed", reason);
}
