const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` fresh bytes from a cryptographic source. */
export type RandomBytes = (length: number) => Uint8Array;

/** The lowest byte that would favour some digits over others when taken modulo 62. */
const firstUnfairByte = 248;

/** Text of `length` base62 digits, each equally likely: 5.95 bits a digit. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < firstUnfairByte) text += digits[byte % 62];
    }
  }
  return text;
}

/** A whole number from 0 to 2^53 in base62, filled with zeros to `length` digits; the most significant digit stands first. */
export function encodeBase62(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = digits[rest % 62] + text;
  }
  return text;
}
