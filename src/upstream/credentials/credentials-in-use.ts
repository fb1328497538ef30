import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CredentialInUse, Secrets } from "../../platforms/credential.ts";
import { credentialRefused } from "../../platforms/credential-errors.ts";
import { areSecretsEqual, decryptSecrets, encryptSecrets } from "./encrypt-secrets.ts";
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
  open(storedCredential: StoredCredential): CredentialInUse;
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
  const stopController = new AbortController();

  function open(storedCredential: StoredCredential): CredentialInUse {
    const state = stateFor(storedCredential);
    return {
      credential: storedCredential.credential,
      secrets: () => state.secrets,
      renew: async (seenSecrets, make) => {
        if (!areSecretsEqual(state.secrets, seenSecrets)) return state.secrets;
        state.renewal ??= renew(state, make).finally(() => {
          state.renewal = null;
        });
        return await state.renewal;
      },
    };
  }

  function stateFor(storedCredential: StoredCredential): State {
    const { id, accountId } = storedCredential.credential;
    const existingState = states.get(id);
    // An account's decrypted secret is never used for another account, even if the row has changed.
    if (existingState !== undefined && existingState.stored.credential.accountId === accountId) {
      adopt(existingState, storedCredential);
      return existingState;
    }
    const newState = {
      stored: storedCredential,
      secrets: decrypt(storedCredential),
      unsaved: null,
      renewal: null,
    };
    states.set(id, newState);
    return newState;
  }

  function adopt(state: State, storedCredential: StoredCredential): void {
    if (storedCredential.revision <= state.stored.revision) return;
    state.secrets = decrypt(storedCredential);
    state.stored = storedCredential;
    state.unsaved = null;
  }

  const decrypt = ({ credential, encryptedSecret }: StoredCredential): Secrets =>
    decryptSecrets(encryptor, credential, encryptedSecret);

  async function renew(state: State, make: (secrets: Secrets) => Promise<Secrets>) {
    if (state.unsaved !== null) return await save(state, state.unsaved);
    const { revision } = state.stored;
    const claimedCredential = await claim(state);
    adopt(state, claimedCredential);
    if (claimedCredential.revision !== revision) return state.secrets;
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
      const claimResult = await store.write("claimRenewal", { id, revision, nowMs: clock.now() });
      if (claimResult === "removed") throw forgetRemoved(id);
      if (claimResult !== null) return claimResult;
      await clock.sleep(pollMs, stopController.signal);
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
    const currentCredential = isSaved
      ? { credential, revision: revision + 1, encryptedSecret }
      : await store.read("readCredential", { id });
    if (currentCredential === null) throw forgetRemoved(id);
    adopt(state, currentCredential);
    return state.secrets;
  }

  function forgetRemoved(id: string): EarshotError {
    states.delete(id);
    return credentialRefused(
      `the credential ${id} was removed`,
      "add it again with earshot credentials add",
    );
  }

  async function stop(): Promise<void> {
    stopController.abort(stoppedBeforeRenewal());
    const renewals = [...states.values()].flatMap(({ renewal }) => renewal ?? []);
    await Promise.allSettled(renewals);
    const unsavedStates = [...states.values()].filter((state) => state.unsaved !== null);
    await Promise.allSettled(
      unsavedStates.map((state) => state.unsaved !== null && save(state, state.unsaved)),
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
