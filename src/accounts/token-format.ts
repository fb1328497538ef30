import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { encodeBase62, type RandomBytes, randomBase62 } from "../lib/base62.ts";

export type SecretToken = { id: string; secret: string };

export type TokenFormat = {
  create(randomBytes: RandomBytes): SecretToken;
  print(token: SecretToken): string;
  parse(text: string): SecretToken | null;
  /** Null for a scheme other than Bearer or a malformed token. */
  parseAuthorization(header: string): SecretToken | null;
};

const idLength = 8;
const checksumLength = 6;

const newTokenId = (randomBytes: RandomBytes): string => randomBase62(idLength, randomBytes);

/**
 * `<prefix>_<id>_<secret><checksum>` in base62: an ID of 8 digits, a secret of at least 32 (190
 * bits), and a CRC-32 of 6, which detects typos without a lookup.
 */
export function tokenFormat(prefix: string, secretLength = 32): TokenFormat {
  const form = new RegExp(
    `^(${prefix}_([0-9A-Za-z]{${idLength}})_([0-9A-Za-z]{${secretLength}}))([0-9A-Za-z]{${checksumLength}})$`,
  );

  function parse(text: string): SecretToken | null {
    const [, body, id, secret, foundChecksum] = form.exec(text) ?? [];
    if (body === undefined || id === undefined || secret === undefined) return null;
    return foundChecksum === checksum(body) ? { id, secret } : null;
  }

  return {
    create: (randomBytes) => ({
      id: newTokenId(randomBytes),
      secret: randomBase62(secretLength, randomBytes),
    }),
    print: ({ id, secret }) => {
      const body = `${prefix}_${id}_${secret}`;
      return body + checksum(body);
    },
    parse,
    parseAuthorization: (header) => {
      const text = /^bearer +([^\s]+) *$/i.exec(header)?.[1];
      return text === undefined ? null : parse(text);
    },
  };
}

/** A plain SHA-256 suffices, because 190 bits cannot be brute-forced. */
export function hashSecret(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}

function checksum(body: string): string {
  return encodeBase62(crc32(body), checksumLength);
}
