import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { AEADFactory, KDFFactory } from "hpke";

/**
 * HKDF-SHA256 and AES-256-GCM for the library of HPKE, done at once: its own send each of a dozen small steps to another thread
 * and wait for it, which takes longer than the steps.
 */
const hashLength = 32;
const tagLength = 16;

/** HKDF-SHA256 (RFC 5869) as the library's own, which names and numbers it. */
export const hkdfLike =
  (own: KDFFactory): KDFFactory =>
  () => ({
    ...own(),
    Extract: async (salt, input) => bytes(hmac(salt, input)),
    Expand: async (key, info, length) => {
      const blocks: Buffer[] = [];
      for (let number = 1; blocks.length * hashLength < length; number += 1) {
        blocks.push(hmac(key, blocks.at(-1) ?? Buffer.of(), info, Buffer.of(number)));
      }
      return bytes(Buffer.concat(blocks).subarray(0, length));
    },
  });

/** AES-256-GCM as the library's own, which names and numbers it. */
export const aesGcmLike =
  (own: AEADFactory): AEADFactory =>
  () => ({
    ...own(),
    Seal: async (key, nonce, aad, plain) => {
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad);
      return bytes(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
    },
    Open: async (key, nonce, aad, sealed) => {
      const text = Buffer.from(sealed);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength })
        .setAAD(aad)
        .setAuthTag(text.subarray(-tagLength));
      const plain = decipher.update(text.subarray(0, -tagLength));
      return bytes(Buffer.concat([plain, decipher.final()]));
    },
  });

function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHmac("sha256", key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** The library takes plain arrays alone. */
const bytes = (buffer: Buffer): Uint8Array => new Uint8Array(buffer);
