import { randomBytes } from "node:crypto";
import type { Store } from "../../db/operations.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { createEncryptor } from "../../lib/encryption.ts";
import type { CredentialKind, CredentialTools } from "../../platforms/credential.ts";
import type { OpenControl } from "../../server/control/control.ts";
import type { credentialKinds } from "../../server/roles/credential-kinds.ts";
import { openUpstreamClient } from "../../server/roles/upstream-client.ts";
import type { CredentialOperations } from "../../upstream/credentials/operations.ts";
import type { CredentialStore } from "../../upstream/credentials/store-credential.ts";
import { requireSecretKey } from "../accounts/secret-key.ts";
import { openConfiguredControl } from "../accounts/with-control.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type ListCredentialKinds = typeof credentialKinds;

export type CredentialsContext = CredentialStore & {
  store: Store<CredentialOperations>;
  clock: Clock;
  kinds: readonly CredentialKind[];
  tools: CredentialTools;
  /** Errors: `account_not_found`, `ambiguous_account`. */
  findAccountId(account: string): Promise<string>;
};

export async function withCredentials<Value>(
  terminal: Terminal,
  listKinds: ListCredentialKinds,
  use: (context: CredentialsContext) => Promise<Value>,
): Promise<Value> {
  const config = readConfig(terminal);
  const client = openUpstreamClient(config);
  const control = await openConfiguredControl(config);
  try {
    return await use({
      store: storeOn(control),
      clock: systemClock,
      randomBytes,
      put: async (credential) =>
        control.run("addCredential", { ...credential, actor: "command_line" }),
      encryptor: createEncryptor(await requireSecretKey(config, control), randomBytes),
      kinds: listKinds(config, client),
      tools: { fetch: client.fetch, now: systemClock.now, randomBytes },
      maxCredentials: config.upstreams.maxCredentials,
      findAccountId: (account) => control.run("resolveAccount", { account }),
    });
  } finally {
    await control.close();
    await client.close();
  }
}

function storeOn(control: OpenControl): Store<CredentialOperations> {
  const call: Store<CredentialOperations>["read"] = async (name, args) => control.run(name, args);
  // `control.run` ignores the mode of an operation.
  return { read: call, write: call, inMemory: call } as Store<CredentialOperations>;
}
