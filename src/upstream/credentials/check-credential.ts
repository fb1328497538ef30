import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError, messageOf } from "../../lib/errors.ts";
import type { Credential, CredentialKind, CredentialTools } from "../../platforms/credential.ts";
import { shownReason } from "../../platforms/without-secrets.ts";
import type { CredentialLeases } from "./lease-credential.ts";
import { type CredentialOperations, unknownCredential } from "./operations.ts";

export type CheckContext = {
  store: Store<CredentialOperations>;
  kinds: readonly CredentialKind[];
  tools: CredentialTools;
  leases: CredentialLeases;
  clock: Pick<Clock, "now">;
};

export type CheckedCredential = {
  works: boolean;
  message: string;
  released: boolean;
};

/** Releases the credential from quarantine if it works, quarantines it if it is refused. */
export async function checkCredential(
  { id, platform, kind: name }: Credential,
  { store, kinds, tools, leases, clock }: CheckContext,
): Promise<CheckedCredential> {
  try {
    const kind = kinds.find((one) => one.platform === platform && one.name === name);
    const stored = await store.read("readCredential", { id });
    if (kind === undefined)
      throw new Error(`${platform} no longer supports credentials of kind ${name}`);
    if (stored === null) throw unknownCredential(id);
    const message = await kind.test(leases.lease(stored), tools);
    const released = await store.write("releaseCredential", { id });
    return {
      works: true,
      message: shownReason(message, leases.inUse(id)?.secrets ?? {}),
      released,
    };
  } catch (thrown) {
    const leased = leases.inUse(id);
    const reason = shownReason(messageOf(thrown), leased?.secrets ?? {});
    if (leased !== null && thrown instanceof EarshotError && thrown.code === "credential_refused") {
      const { revision } = leased;
      const nowMs = clock.now();
      await store.write("quarantineCredential", { id, revision, reason, nowMs });
    }
    return { works: false, message: reason, released: false };
  }
}
