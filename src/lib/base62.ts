const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export type RandomBytes = (length: number) => Uint8Array;

const firstBiasedByte = 248;

export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < firstBiasedByte) text += digits[byte % 62];
    }
  }
  return text;
}

export function encodeBase62(value: number, length: number): string {
  let text = "";
  for (let remaining = value; text.length < length; remaining = Math.floor(remaining / 62)) {
    text = digits[remaining % 62] + text;
  }
  return text;
}
