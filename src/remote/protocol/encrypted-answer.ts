import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { decodeBase64Url, encodeBase64Url } from "./encoding.ts";
import { answerRefused } from "./errors.ts";

/** Known only to the gateway and the node that has the lease. */
export type AnswerKey = { key: Uint8Array; aad: Uint8Array };

type EncryptedBytes = { nonce: string; sealed: string };

const cipherName = "aes-256-gcm";
const options = { authTagLength: 16 };
const nonceLength = 12;

export function encryptAnswer({ key, aad }: AnswerKey, plaintext: Uint8Array): EncryptedBytes {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(cipherName, key, nonce, options).setAAD(aad);
  const ciphertext = [cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
  return { nonce: encodeBase64Url(nonce), sealed: encodeBase64Url(Buffer.concat(ciphertext)) };
}

export function decryptAnswer({ key, aad }: AnswerKey, answer: EncryptedBytes): Uint8Array {
  try {
    const nonce = decodeBase64Url(answer.nonce, nonceLength) ?? Buffer.alloc(0);
    const ciphertext = decodeBase64Url(answer.sealed) ?? Buffer.alloc(0);
    const decipher = createDecipheriv(cipherName, key, nonce, options)
      .setAAD(aad)
      .setAuthTag(ciphertext.subarray(-options.authTagLength));
    const plaintext = decipher.update(ciphertext.subarray(0, -options.authTagLength));
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    const message = "the answer was encrypted for another lease, or modified";
    throw answerRefused("not_openable", message);
  }
}
