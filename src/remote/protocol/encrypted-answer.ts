import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { base64url, bytesOf } from "./encoding.ts";
import { answerRefused } from "./errors.ts";

/** Keys derive from the job's shared secret and a nonce per answer, as in Oblivious HTTP (RFC 9458 section 4.4). */
type SealedBytes = { nonce: string; sealed: string };

export type AnswerEncryptor = { seal(plain: Uint8Array): SealedBytes };

/** Errors: `answer_refused` with `not_openable`. */
export type AnswerOpener = { open(answer: SealedBytes): Uint8Array };

export type AnswerSecret = { secret: Uint8Array; encapsulated: Uint8Array; aad: Uint8Array };

const cipherName = "aes-256-gcm";
const tagLength = 16;
const nonceLength = 32;

export function createAnswerEncryptor(shared: AnswerSecret): AnswerEncryptor {
  return {
    seal: (plain) => {
      const nonce = randomBytes(nonceLength);
      const { key, iv } = keyOf(shared, nonce);
      const options = { authTagLength: tagLength };
      const cipher = createCipheriv(cipherName, key, iv, options).setAAD(shared.aad);
      const sealed = [cipher.update(plain), cipher.final(), cipher.getAuthTag()];
      return { nonce: base64url(nonce), sealed: base64url(Buffer.concat(sealed)) };
    },
  };
}

export function createAnswerOpener(shared: AnswerSecret): AnswerOpener {
  return {
    open: (answer) => {
      const nonce = bytesOf(answer.nonce, nonceLength);
      const sealed = bytesOf(answer.sealed);
      if (nonce === null || sealed === null || sealed.length < tagLength) throw notOpenable();
      const { key, iv } = keyOf(shared, nonce);
      const decipher = createDecipheriv(cipherName, key, iv, { authTagLength: tagLength })
        .setAAD(shared.aad)
        .setAuthTag(sealed.subarray(-tagLength));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(0, -tagLength)), decipher.final()]);
      } catch {
        throw notOpenable();
      }
    },
  };
}

function keyOf(
  { secret, encapsulated }: AnswerSecret,
  nonce: Uint8Array,
): { key: Buffer; iv: Buffer } {
  const salt = Buffer.concat([encapsulated, nonce]);
  const derived = (what: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, salt, `earshot answer ${what}`, length));
  return { key: derived("key", 32), iv: derived("nonce", 12) };
}

const notOpenable = () =>
  answerRefused("not_openable", "the answer was not sealed for this lease, or was changed");
