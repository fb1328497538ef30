import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { Credential, CredentialKind, CredentialTools } from "../../platforms/credential.ts";
import { redactedReason } from "../../platforms/without-secrets.ts";
import type { CredentialsInUse } from "./credentials-in-use.ts";
import { type CredentialOperations, unknownCredential } from "./operations.ts";

export type CheckContext = {
  store: Store<CredentialOperations>;
  kinds: readonly CredentialKind[];
  tools: CredentialTools;
  credentialsInUse: CredentialsInUse;
  clock: Pick<Clock, "now">;
};

export type CredentialCheck = {
  works: boolean;
  message: string;
  isQuarantineLifted: boolean;
};

/** Lifts the quarantine of a working credential and quarantines a refused one. */
export async function checkCredential(
  { id, platform, kind: name }: Credential,
  { store, kinds, tools, credentialsInUse, clock }: CheckContext,
): Promise<CredentialCheck> {
  try {
    const kind = kinds.find((other) => other.platform === platform && other.name === name);
    const storedCredential = await store.read("readCredential", { id });
    if (kind === undefined)
      throw new Error(`${platform} no longer supports credentials of kind ${name}`);
    if (storedCredential === null) throw unknownCredential(id);
    const message = await kind.test(credentialsInUse.open(storedCredential), tools);
    const isQuarantineLifted = await store.write("liftCredentialQuarantine", { id });
    return {
      works: true,
      message: redactedReason(message, credentialsInUse.find(id)?.secrets ?? {}),
      isQuarantineLifted,
    };
  } catch (thrown) {
    const openCredential = credentialsInUse.find(id);
    const reason = redactedReason(errorMessage(thrown), openCredential?.secrets ?? {});
    if (
      openCredential !== null &&
      thrown instanceof EarshotError &&
      thrown.code === "credential_refused"
    ) {
      const { revision } = openCredential;
      const nowMs = clock.now();
      await store.write("quarantineCredential", { id, revision, reason, nowMs });
    }
    return { works: false, message: reason, isQuarantineLifted: false };
  }
}
