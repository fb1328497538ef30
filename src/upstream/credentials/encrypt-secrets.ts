import type { Encryptor, SecretOwner } from "../../lib/encryption.ts";
import type { Credential, Secrets } from "../../platforms/credential.ts";

type CredentialIdentity = Pick<Credential, "id" | "accountId">;

function makeOwner({ id, accountId }: CredentialIdentity): SecretOwner {
  return { purpose: "credential", accountId: accountId ?? "", id };
}

export function encryptSecrets(
  encryptor: Encryptor,
  credential: CredentialIdentity,
  secrets: Secrets,
): Uint8Array {
  return encryptor.encrypt(JSON.stringify(secrets), makeOwner(credential));
}

/** Errors: `secret_key_mismatch`. */
export function decryptSecrets(
  encryptor: Encryptor,
  credential: CredentialIdentity,
  encryptedSecrets: Uint8Array,
): Secrets {
  // Decryption authenticates, so only `encryptSecrets` can have written this.
  return JSON.parse(encryptor.decrypt(encryptedSecrets, makeOwner(credential))) as Secrets;
}

export function areSecretsEqual(a: Secrets, b: Secrets): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
