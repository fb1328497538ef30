import type { Store } from "../../db/operations.ts";
import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CredentialKind, NewCredential, Secrets } from "../../platforms/credential.ts";
import { decryptSecrets, encryptSecrets } from "./encrypt-secrets.ts";
import type { CredentialOperations, StoredSecretCredential } from "./operations.ts";

export type CredentialStore = {
  store: Pick<Store<CredentialOperations>, "read">;
  encryptor: Encryptor;
  clock: Pick<Clock, "now">;
  randomBytes: RandomBytes;
  maxCredentials: number;
  put: (credential: StoredSecretCredential) => Promise<unknown>;
};

const idLength = 10;

/** Shorter values may be equal by chance. */
const minComparedLength = 16;

/**
 * Replaces the credential with the same subject or, without a subject, with the same secret.
 * Returns the id.
 */
export async function storeCredential(
  credentialStore: CredentialStore,
  { platform, name: kind }: CredentialKind,
  accountId: string | null,
  { secrets, ...made }: NewCredential,
): Promise<string> {
  const { store, encryptor } = credentialStore;
  const { host, subject } = made;
  const existingId =
    subject === null
      ? await findSameSecret(credentialStore, { accountId, platform, kind, host }, secrets)
      : await store.read("findSameCredential", { accountId, platform, kind, host, subject });
  const id = existingId ?? randomBase62(idLength, credentialStore.randomBytes);
  await credentialStore.put({
    ...made,
    id,
    accountId,
    platform,
    kind,
    encryptedSecret: encryptSecrets(encryptor, { id, accountId }, secrets),
    maxOfOwner: credentialStore.maxCredentials,
    nowMs: credentialStore.clock.now(),
  });
  return id;
}

type CredentialScope = { accountId: string | null; platform: string; kind: string; host: string };

async function findSameSecret(
  credentialStore: CredentialStore,
  { accountId, platform, kind, host }: CredentialScope,
  secrets: Secrets,
): Promise<string | null> {
  const credentials = await credentialStore.store.read("listCredentials", { accountId });
  for (const credential of credentials) {
    if (credential.platform !== platform || credential.kind !== kind || credential.host !== host)
      continue;
    const storedSecrets = await readableSecrets(credentialStore, credential.id);
    const isSame = Object.entries(storedSecrets).some(
      ([name, value]) => value.length >= minComparedLength && secrets[name] === value,
    );
    if (isSame) return credential.id;
  }
  return null;
}

async function readableSecrets(
  { store, encryptor }: CredentialStore,
  id: string,
): Promise<Secrets> {
  const storedCredential = await store.read("readCredential", { id });
  if (storedCredential === null) return {};
  try {
    return decryptSecrets(encryptor, storedCredential.credential, storedCredential.encryptedSecret);
  } catch (thrown) {
    if (thrown instanceof EarshotError) return {};
    throw thrown;
  }
}
