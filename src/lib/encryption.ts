import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { RandomBytes } from "./base62.ts";
import { EarshotError } from "./errors.ts";

/** AES-256-GCM, bound to purpose and owner: a copy in another row cannot be decrypted. */
export type Encryptor = {
  encrypt(secret: string, owner: SecretOwner): Uint8Array;
  /** Errors: `secret_key_mismatch` if the key or the owner differs. */
  decrypt(encrypted: Uint8Array, owner: SecretOwner): string;
};

export type SecretOwner = { purpose: string; accountId: string; id: string };

const formatVersion = 1;
const nonceLength = 12;
const tagLength = 16;
const cipherName = "aes-256-gcm";

export function createEncryptor(secretKey: Uint8Array, randomBytes: RandomBytes): Encryptor {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "earshot seal", 32));
  const options = { authTagLength: tagLength };

  function encrypt(secret: string, owner: SecretOwner): Uint8Array {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv(cipherName, key, nonce, options).setAAD(associatedData(owner));
    const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return Buffer.concat([Buffer.of(formatVersion), nonce, ciphertext, cipher.getAuthTag()]);
  }

  function decrypt(encrypted: Uint8Array, owner: SecretOwner): string {
    const bytes = Buffer.from(encrypted);
    const isPlausible = bytes[0] === formatVersion && bytes.length >= 1 + nonceLength + tagLength;
    if (!isPlausible) throw mismatchError(owner);
    const nonce = bytes.subarray(1, 1 + nonceLength);
    const decipher = createDecipheriv(cipherName, key, nonce, options)
      .setAAD(associatedData(owner))
      .setAuthTag(bytes.subarray(-tagLength));
    const text = decipher.update(bytes.subarray(1 + nonceLength, -tagLength));
    try {
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      throw mismatchError(owner);
    }
  }

  return { encrypt, decrypt };
}

const associatedData = ({ purpose, accountId, id }: SecretOwner): Buffer =>
  Buffer.from(JSON.stringify([formatVersion, purpose, accountId, id]));

function mismatchError({ purpose, id }: SecretOwner): EarshotError {
  return new EarshotError(
    "secret_key_mismatch",
    `the secret of ${purpose} ${id} was not encrypted with the current key`,
    {
      status: 500,
      hint: "set EARSHOT_SECRET_KEY to its original key, or restore secret.key in the data folder",
    },
  );
}
