import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { base64, bytesOf } from "./encoding.ts";
import { answerRefused } from "./errors.ts";

type SealedBytes = { nonce: string; sealed: string };

export type AnswerEncryptor = { seal(plain: Uint8Array): SealedBytes };

export type AnswerOpener = { open(answer: SealedBytes): Uint8Array };

type AnswerSecret = { secret: Uint8Array; aad: Uint8Array };

const cipherName = "aes-256-gcm";
const options = { authTagLength: 16 };
const nonceLength = 12;

export const createAnswerEncryptor = ({ secret, aad }: AnswerSecret): AnswerEncryptor => ({
  seal: (plain) => {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv(cipherName, secret, nonce, options).setAAD(aad);
    const sealed = [cipher.update(plain), cipher.final(), cipher.getAuthTag()];
    return { nonce: base64(nonce), sealed: base64(Buffer.concat(sealed)) };
  },
});

export const createAnswerOpener = ({ secret, aad }: AnswerSecret): AnswerOpener => ({
  open: (answer) => {
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
  },
});
