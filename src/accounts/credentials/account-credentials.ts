import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type {
  Credential,
  CredentialKind,
  CredentialTools,
  NewCredential,
} from "../../platforms/credential.ts";
import { credentialInvalid } from "../../platforms/credential-errors.ts";
import type { Platform } from "../../posts/post.ts";
import type { CredentialCheck } from "../../upstream/credentials/check-credential.ts";
import { authorizeCredential, makeCredential } from "../../upstream/credentials/make-credential.ts";
import type { CredentialOperations } from "../../upstream/credentials/operations.ts";
import {
  type CredentialStore,
  storeCredential,
} from "../../upstream/credentials/store-credential.ts";
import { createAttempts } from "./attempts.ts";
import {
  type AuthorizationSettings,
  createAuthorizations,
  type DialogueStep,
} from "./authorizations.ts";
import { credentialNotFound, withFieldPointers } from "./errors.ts";
import { checkFields } from "./field-values.ts";
import type { accountCredentialOperations } from "./operations.ts";

type CredentialRequest = {
  platform: Platform;
  kind: string;
  fields: Readonly<Record<string, string>>;
};

/**
 * Other accounts' credentials are reported as not found. Errors: `credential_not_found`,
 * `credential_invalid` with a pointer, `too_many_credentials`, `account_suspended`, and those of
 * the platform. No error contains a secret.
 */
export type AccountCredentials = {
  kinds: readonly CredentialKind[];
  /** Counts an attempt and returns 0, or returns the milliseconds to wait. */
  takeAttempt(accountId: string): number;
  list(accountId: string): Promise<readonly Credential[]>;
  add(accountId: string, request: CredentialRequest): Promise<Credential>;
  /** Errors: also `too_many_attempts`. */
  authorize(accountId: string, request: CredentialRequest): Promise<DialogueStep<Credential>>;
  /** Errors: also `authorization_not_found`. */
  answer(accountId: string, id: string, answer: string): Promise<DialogueStep<Credential>>;
  test(accountId: string, id: string): Promise<CredentialCheck & { credential: Credential }>;
  remove(accountId: string, id: string): Promise<void>;
  stop(): Promise<void>;
};

type Context = Omit<CredentialStore, "put" | "store" | "clock"> & {
  store: Store<CredentialOperations & typeof accountCredentialOperations>;
  clock: Clock;
  kinds: readonly CredentialKind[];
  tools: CredentialTools;
  check: (credential: Credential) => Promise<CredentialCheck>;
  settings: AuthorizationSettings & { credentialChecksPerMinute: number };
};

export function createAccountCredentials(context: Context): AccountCredentials {
  const { store, kinds, tools, clock, settings, check } = context;
  const attempts = createAttempts(settings.credentialChecksPerMinute, clock);
  const authorizations = createAuthorizations<Credential>(context);

  const list: AccountCredentials["list"] = (accountId) =>
    store.read("listCredentials", { accountId });

  async function find(accountId: string, id: string): Promise<Credential> {
    const found = (await list(accountId)).find((credential) => credential.id === id);
    if (found === undefined) throw credentialNotFound();
    return found;
  }

  async function storeNewCredential(
    accountId: string,
    kind: CredentialKind,
    credential: NewCredential,
  ): Promise<Credential> {
    const actor = { accountId };
    const accountStore: CredentialStore = {
      ...context,
      put: (row) => store.write("addCredential", { ...row, actor }),
    };
    return await find(accountId, await storeCredential(accountStore, kind, accountId, credential));
  }

  const add: AccountCredentials["add"] = async (accountId, { platform, kind: name, fields }) => {
    const kind = findKind(platform, name);
    if (kind.fields.length === 0)
      throw credentialInvalid("credentials of this kind must be authorized in a browser");
    const fieldValues = checkFields(kind.fields, fields);
    return await withFieldPointers(kind.fields, async () =>
      storeNewCredential(accountId, kind, await makeCredential(kind, fieldValues, tools)),
    );
  };

  const authorize: AccountCredentials["authorize"] = async (accountId, request) => {
    const kind = findKind(request.platform, request.kind);
    const { authorization } = kind;
    if (authorization === undefined)
      throw credentialInvalid("this kind does not support authorization in a browser");
    const fieldValues = checkFields(authorization.fields, request.fields);
    return await authorizations.begin(accountId, (dialogue) =>
      withFieldPointers(authorization.fields, async () =>
        storeNewCredential(
          accountId,
          kind,
          await authorizeCredential(authorization, fieldValues, tools, dialogue),
        ),
      ),
    );
  };

  function findKind(platform: Platform, name: string): CredentialKind {
    const kind = kinds.find((other) => other.platform === platform && other.name === name);
    if (kind !== undefined) return kind;
    throw credentialInvalid(`unknown credential kind for ${platform}`);
  }

  const test: AccountCredentials["test"] = async (accountId, id) => {
    const checkResult = await check(await find(accountId, id));
    return { ...checkResult, credential: await find(accountId, id) };
  };

  const remove: AccountCredentials["remove"] = async (accountId, id) => {
    const [owner, actor] = [{ accountId }, { accountId }];
    const isRemoved = await store.write("dropCredential", { id, owner, actor, nowMs: clock.now() });
    if (!isRemoved) throw credentialNotFound();
  };

  return {
    kinds,
    takeAttempt: attempts.take,
    list,
    add,
    authorize,
    answer: authorizations.answer,
    test,
    remove,
    stop: authorizations.stop,
  };
}
