/** Values in DER (X.690), as far as certificates and revocation lists need them. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

export const sequence = (...values: readonly Uint8Array[]) => der(0x30, ...values);
export const set = (...values: readonly Uint8Array[]) => der(0x31, ...values);
export const octets = (bytes: Uint8Array) => der(0x04, bytes);
/** A bit string, the last byte of which leaves so many bits unused. */
export const bits = (bytes: Uint8Array, unused = 0) => der(0x03, Buffer.of(unused), bytes);
export const boolean = (value: boolean) => der(0x01, Buffer.of(value ? 0xff : 0));
export const utf8 = (text: string) => der(0x0c, Buffer.from(text, "utf8"));
export const enumerated = (value: number) => der(0x0a, Buffer.of(value));

/** A whole number from 0. */
export function integer(value: number): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return der(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));
}

/** @param name with points, such as `2.5.4.3` */
export function identifier(name: string): Buffer {
  const [first = 0, second = 0, ...rest] = name.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  const isShort = new Date(ms).getUTCFullYear() < 2050;
  return der(
    isShort ? 0x17 : 0x18,
    Buffer.from(`${isShort ? digits.slice(2) : digits}Z`, "latin1"),
  );
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}
