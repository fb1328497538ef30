import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CredentialInUse, Secrets } from "../../platforms/credential.ts";
import { credentialRefused } from "../../platforms/credential-errors.ts";
import { decryptSecrets, encryptSecrets, sameSecrets } from "./encrypt-secrets.ts";
import type { CredentialOperations } from "./operations.ts";
import type { StoredCredential } from "./rows.ts";

/** The interval between checks for another process's renewal. */
const pollMs = 100;

export type CredentialsInUseContext = {
  store: Store<CredentialOperations>;
  encryptor: Encryptor;
  clock: Clock;
};

export type CredentialsInUse = {
  /** Errors: `secret_key_mismatch`. */
  open(stored: StoredCredential): CredentialInUse;
  find(id: string): { secrets: Secrets; revision: number } | null;
  forgetAccount(accountId: string): void;
  /** Waits for pending renewals; those that wait for another process fail. */
  stop(): Promise<void>;
};

type State = {
  stored: StoredCredential;
  secrets: Secrets;
  /** Renewed secrets that are not stored yet; the platform may have revoked the previous ones. */
  unsaved: Secrets | null;
  renewal: Promise<Secrets> | null;
};

export function createCredentialsInUse({
  store,
  encryptor,
  clock,
}: CredentialsInUseContext): CredentialsInUse {
  const states = new Map<string, State>();
  const stopping = new AbortController();

  function open(stored: StoredCredential): CredentialInUse {
    const state = stateFor(stored);
    return {
      credential: stored.credential,
      secrets: () => state.secrets,
      renew: async (seen, make) => {
        if (!sameSecrets(state.secrets, seen)) return state.secrets;
        state.renewal ??= renew(state, make).finally(() => {
          state.renewal = null;
        });
        return await state.renewal;
      },
    };
  }

  function stateFor(stored: StoredCredential): State {
    const { id, accountId } = stored.credential;
    const existing = states.get(id);
    // An account's decrypted secret is never used for another account, even if the row has changed.
    if (existing !== undefined && existing.stored.credential.accountId === accountId) {
      adopt(existing, stored);
      return existing;
    }
    const created = { stored, secrets: decrypt(stored), unsaved: null, renewal: null };
    states.set(id, created);
    return created;
  }

  function adopt(state: State, stored: StoredCredential): void {
    if (stored.revision <= state.stored.revision) return;
    state.secrets = decrypt(stored);
    state.stored = stored;
    state.unsaved = null;
  }

  const decrypt = ({ credential, encryptedSecret }: StoredCredential): Secrets =>
    decryptSecrets(encryptor, credential, encryptedSecret);

  async function renew(state: State, make: (secrets: Secrets) => Promise<Secrets>) {
    if (state.unsaved !== null) return await save(state, state.unsaved);
    const { revision } = state.stored;
    const claimed = await claim(state);
    adopt(state, claimed);
    if (claimed.revision !== revision) return state.secrets;
    let secrets: Secrets;
    try {
      secrets = await make(state.secrets);
    } catch (thrown) {
      await release(state);
      throw thrown;
    }
    return await save(state, secrets);
  }

  /** Returns once the renewal is claimed, or done by another process. */
  async function claim({ stored }: State): Promise<StoredCredential> {
    const { revision, credential } = stored;
    const { id } = credential;
    for (;;) {
      const claimed = await store.write("claimRenewal", { id, revision, nowMs: clock.now() });
      if (claimed === "removed") throw forgetRemoved(id);
      if (claimed !== null) return claimed;
      await clock.sleep(pollMs, stopping.signal);
    }
  }

  /** A claim that cannot be released expires. */
  async function release({ stored: { credential, revision } }: State): Promise<void> {
    await store.write("releaseRenewal", { id: credential.id, revision }).catch(() => null);
  }

  async function save(state: State, secrets: Secrets): Promise<Secrets> {
    const { credential, revision } = state.stored;
    const { id } = credential;
    const encryptedSecret = encryptSecrets(encryptor, credential, secrets);
    state.unsaved = secrets;
    const isSaved = await store.write("changeCredentialSecret", { id, revision, encryptedSecret });
    const present = isSaved
      ? { credential, revision: revision + 1, encryptedSecret }
      : await store.read("readCredential", { id });
    if (present === null) throw forgetRemoved(id);
    adopt(state, present);
    return state.secrets;
  }

  function forgetRemoved(id: string): EarshotError {
    states.delete(id);
    return credentialRefused(
      `the credential ${id} was removed`,
      "find it with earshot credentials list",
    );
  }

  async function stop(): Promise<void> {
    stopping.abort(stoppedBeforeRenewal());
    const renewals = [...states.values()].flatMap(({ renewal }) => renewal ?? []);
    await Promise.allSettled(renewals);
    const unsaved = [...states.values()].filter((state) => state.unsaved !== null);
    await Promise.allSettled(
      unsaved.map((state) => state.unsaved !== null && save(state, state.unsaved)),
    );
  }

  function find(id: string): ReturnType<CredentialsInUse["find"]> {
    const state = states.get(id);
    return state === undefined ? null : { secrets: state.secrets, revision: state.stored.revision };
  }

  function forgetAccount(accountId: string): void {
    for (const [id, { stored }] of states) {
      if (stored.credential.accountId === accountId) states.delete(id);
    }
  }

  return { open, find, forgetAccount, stop };
}

function stoppedBeforeRenewal(): EarshotError {
  return new EarshotError(
    "upstream_unreachable",
    "the server stopped before the session was renewed",
    {
      status: 502,
      retryable: true,
    },
  );
}
