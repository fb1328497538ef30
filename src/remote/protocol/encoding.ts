import { createHash } from "node:crypto";

/** Decodes base64url; null unless canonical, so that each value has one spelling. */
export function decodeBase64Url(text: string, length?: number): Buffer | null {
  const bytes = Buffer.from(text, "base64url");
  if (length !== undefined && bytes.length !== length) return null;
  return bytes.toString("base64url") === text ? bytes : null;
}

export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

export const encodeBase64Url = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString("base64url");

export function sha256(content: string | Uint8Array): Buffer {
  return createHash("sha256").update(content).digest();
}

/** Injective: each field is length-prefixed. */
export function frame(label: string, ...fields: readonly (string | number | Uint8Array)[]): Buffer {
  return Buffer.concat([label, ...fields].flatMap(withLengthPrefix));
}

function withLengthPrefix(field: string | number | Uint8Array): Buffer[] {
  const bytes =
    field instanceof Uint8Array ? Buffer.from(field) : Buffer.from(String(field), "utf8");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}
