import { randomBytes } from "node:crypto";
import { randomBase62 } from "../lib/base62.ts";
import { systemClock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import type {
  CredentialKind,
  NewCredential,
  Secrets,
} from "../platforms/credentials/credential.ts";
import { openSecrets, sealSecrets } from "../platforms/credentials/seal-secrets.ts";
import type { CredentialsFolder } from "./credentials-folder.ts";

const idLength = 10;

/** Shorter values, such as a scope, may be the same by chance. */
const shortestTelling = 16;

/**
 * Keeps a credential and returns its id: that of the one which it replaces, where it acts for the same subject or, for nobody,
 * has the same secret.
 */
export async function keepCredential(
  folder: CredentialsFolder,
  { platform, name: kind }: CredentialKind,
  accountId: string | null,
  { secrets, ...made }: NewCredential,
): Promise<string> {
  const { store, sealer } = folder;
  const { host, subject } = made;
  const same =
    subject === null
      ? await findSameSecret(folder, { accountId, platform, kind, host }, secrets)
      : await store.read("findSameCredential", { accountId, platform, kind, host, subject });
  const id = same ?? randomBase62(idLength, randomBytes);
  await store.write("keepCredential", {
    ...made,
    id,
    accountId,
    platform,
    kind,
    sealedSecret: sealSecrets(sealer, { id, accountId }, secrets),
    maxOfOwner: folder.maxCredentials,
    nowMs: systemClock.now(),
  });
  return id;
}

type Place = { accountId: string | null; platform: string; kind: string; host: string };

async function findSameSecret(
  folder: CredentialsFolder,
  { accountId, platform, kind, host }: Place,
  secrets: Secrets,
): Promise<string | null> {
  const listed = await folder.store.read("listCredentials", { accountId });
  for (const one of listed) {
    if (one.platform !== platform || one.kind !== kind || one.host !== host) continue;
    const held = await openedOrNothing(folder, one.id);
    const isSame = Object.entries(held).some(
      ([name, value]) => value.length >= shortestTelling && secrets[name] === value,
    );
    if (isSame) return one.id;
  }
  return null;
}

/** What another key has sealed is like no other. */
async function openedOrNothing({ store, sealer }: CredentialsFolder, id: string): Promise<Secrets> {
  const stored = await store.read("readCredential", { id });
  if (stored === null) return {};
  try {
    return openSecrets(sealer, stored.credential, stored.sealedSecret);
  } catch (thrown) {
    if (thrown instanceof EarshotError) return {};
    throw thrown;
  }
}
