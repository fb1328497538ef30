import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { base64, bytesOf } from "./encoding.ts";
import { answerRefused } from "./errors.ts";

/** Known to the gateway and node of one lease. */
export type AnswerSecret = { secret: Uint8Array; aad: Uint8Array };

type EncryptedBytes = { nonce: string; sealed: string };

const cipherName = "aes-256-gcm";
const options = { authTagLength: 16 };
const nonceLength = 12;

export function encryptAnswer({ secret, aad }: AnswerSecret, plain: Uint8Array): EncryptedBytes {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(cipherName, secret, nonce, options).setAAD(aad);
  const sealed = [cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return { nonce: base64(nonce), sealed: base64(Buffer.concat(sealed)) };
}

export function decryptAnswer({ secret, aad }: AnswerSecret, answer: EncryptedBytes): Uint8Array {
  try {
    const nonce = bytesOf(answer.nonce, nonceLength) ?? Buffer.alloc(0);
    const sealed = bytesOf(answer.sealed) ?? Buffer.alloc(0);
    const decipher = createDecipheriv(cipherName, secret, nonce, options)
      .setAAD(aad)
      .setAuthTag(sealed.subarray(-options.authTagLength));
    const plain = decipher.update(sealed.subarray(0, -options.authTagLength));
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    const message = "the answer was encrypted for another lease, or modified";
    throw answerRefused("not_openable", message);
  }
}
