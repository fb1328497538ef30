import type { Store } from "../../db/operations.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Encryptor } from "../../lib/encryption.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type {
  Credential,
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  Secrets,
} from "../../platforms/credential.ts";
import { redactedReason } from "../../platforms/without-secrets.ts";
import type { Platform } from "../../posts/post.ts";
import { type CredentialCheck, checkCredential } from "./check-credential.ts";
import { createCredentialsInUse } from "./credentials-in-use.ts";
import type { CredentialOperations } from "./operations.ts";
import type { CredentialPool, PooledCredential } from "./pool.ts";
import { pooledRelease } from "./release.ts";
import { createRoundRobin } from "./round-robin.ts";
import { createUsableCredentialReads, type StoredCredential } from "./rows.ts";
import { createUsedUpLimits } from "./used-up-limits.ts";

const maxCooldownMs = 86_400_000;

const useWriteIntervalMs = 60_000;

export type PoolContext = {
  store: Store<CredentialOperations>;
  encryptor: Encryptor;
  kinds: readonly CredentialKind[];
  fetch: CredentialTools["fetch"];
  clock: Clock;
  randomBytes: RandomBytes;
};

/** Cooldowns and uses apply immediately in memory, and are written in the background. */
export function createCredentialPool(context: PoolContext): CredentialPool & {
  check(credential: Credential): Promise<CredentialCheck>;
  forgetAccount(accountId: string): void;
  stop(): Promise<void>;
} {
  const { store, kinds, fetch, clock, randomBytes } = context;
  const tools: CredentialTools = { fetch, now: clock.now, randomBytes };
  const credentialsInUse = createCredentialsInUse(context);
  const cooldowns = createUsedUpLimits();
  const turns = createRoundRobin();
  const readUsable = createUsableCredentialReads(store);
  const recordedUses = new Map<string, number>();
  const writes = new Set<Promise<unknown>>();

  const findSecrets = (id: string): Secrets => credentialsInUse.find(id)?.secrets ?? {};

  const credentialKind = ({ platform, kind }: Credential): CredentialKind | undefined =>
    kinds.find((known) => known.platform === platform && known.name === kind);

  async function poolCredential(
    storedCredential: StoredCredential,
    bucket: string | null,
  ): Promise<PooledCredential | null> {
    const { credential } = storedCredential;
    const kind = credentialKind(credential);
    if (kind === undefined) return null;
    const credentialInUse = await openOrQuarantine(storedCredential);
    if (credentialInUse === null) return null;
    const revision = () =>
      credentialsInUse.find(credential.id)?.revision ?? storedCredential.revision;
    const owner = credential.accountId === null ? "deployment" : "account";
    const cooldownUntilMs = cooldowns.usedUpUntil(storedCredential, bucket, clock.now());
    return { credential, kind, credentialInUse, revision, tools, owner, cooldownUntilMs };
  }

  async function openOrQuarantine(
    storedCredential: StoredCredential,
  ): Promise<CredentialInUse | null> {
    try {
      return credentialsInUse.open(storedCredential);
    } catch (thrown) {
      if (!(thrown instanceof EarshotError)) throw thrown;
      const { credential, revision } = storedCredential;
      const reason = `${errorMessage(thrown)}: restore the secret key and test the credential, or add it again`;
      await quarantine(credential.id, revision, reason);
      return null;
    }
  }

  async function findUsable(platform: Platform, accountId: string, bucket: string | null) {
    const storedCredentials = await readUsable(platform, accountId);
    const pooledCredentials = await Promise.all(
      storedCredentials.map((credential) => poolCredential(credential, bucket)),
    );
    return pooledCredentials.filter((one) => one !== null);
  }

  function compareForUse(a: PooledCredential, b: PooledCredential): number {
    const untilMs = (a.cooldownUntilMs ?? 0) - (b.cooldownUntilMs ?? 0);
    if (untilMs !== 0) return untilMs;
    if (a.owner !== b.owner) return a.owner === "account" ? -1 : 1;
    return turns.compare(a.credential, b.credential);
  }

  const choose: CredentialPool["choose"] = async (request) => {
    const { platform, accountId, access, ownership, bucket, host } = request;
    const pooledCredentials = await findUsable(platform, accountId, bucket);
    const candidates = pooledCredentials
      .filter(({ kind }) => kind.access === access)
      .filter(({ owner }) => ownership === "any" || owner === "account")
      .filter(({ credential }) => host === null || credential.host === host)
      .toSorted(compareForUse);
    const [firstChoice] = candidates;
    // Spreads concurrent choices before the first has sent anything.
    if (firstChoice !== undefined) turns.take(firstChoice.credential.id, clock.now());
    return candidates;
  };

  const find: CredentialPool["find"] = async (accountId, id, bucket = null) => {
    const storedCredential = await store.read("readCredential", { id });
    if (storedCredential === null || storedCredential.credential.quarantine !== null) return null;
    const { accountId: ownerId } = storedCredential.credential;
    return ownerId === null || ownerId === accountId
      ? await poolCredential(storedCredential, bucket)
      : null;
  };

  const configured: CredentialPool["configured"] = async (platform, accountId) => {
    const pooledCredentials = await findUsable(platform, accountId, null);
    const candidates = pooledCredentials.map(({ kind: { access }, owner }) => ({ access, owner }));
    return candidates.filter(
      (candidate, index) =>
        index ===
        candidates.findIndex(
          ({ access, owner }) => access === candidate.access && owner === candidate.owner,
        ),
    );
  };

  const refusal: CredentialPool["refusal"] = async (platform, accountId) => {
    const credentials = await store.read("listCredentials", { accountId });
    const quarantines = credentials
      .flatMap((credential) =>
        credential.platform === platform && credential.quarantine ? [credential.quarantine] : [],
      )
      .toSorted((a, b) => b.sinceMs - a.sinceMs);
    return quarantines[0]?.reason ?? null;
  };

  const startCooldown: CredentialPool["startCooldown"] = (id, bucket, reportedMs, reason) => {
    const nowMs = clock.now();
    const untilMs = Math.ceil(Math.min(reportedMs, nowMs + maxCooldownMs));
    if (!(untilMs > nowMs)) return;
    cooldowns.start(id, credentialsInUse.find(id)?.revision ?? 0, { bucket, untilMs });
    const safeReason = redactedReason(reason, findSecrets(id));
    trackWrite(
      store.write("startCredentialCooldown", { id, bucket, untilMs, reason: safeReason, nowMs }),
    );
  };

  const quarantine: CredentialPool["quarantine"] = async (id, revision, reason) => {
    const safeReason = redactedReason(reason, findSecrets(id));
    await store.write("quarantineCredential", {
      id,
      revision,
      reason: safeReason,
      nowMs: clock.now(),
    });
  };

  const recordUse: CredentialPool["recordUse"] = (id) => {
    const nowMs = clock.now();
    turns.take(id, nowMs);
    const lastWriteMs = recordedUses.get(id);
    if (lastWriteMs !== undefined && Math.abs(nowMs - lastWriteMs) < useWriteIntervalMs) return;
    recordedUses.set(id, nowMs);
    trackWrite(store.write("markCredentialUsed", { id, nowMs }));
  };

  /** A change whose write fails still applies until the process ends. */
  function trackWrite(write: Promise<unknown>): void {
    const settledWrite = write
      .catch(() => null)
      .then(() => {
        writes.delete(settledWrite);
      });
    writes.add(settledWrite);
  }

  async function stop(): Promise<void> {
    await Promise.all(writes);
    await credentialsInUse.stop();
  }

  const check = (credential: Credential) =>
    checkCredential(credential, { store, kinds, tools, credentialsInUse, clock });

  return {
    choose,
    find,
    openRelease: (release) => pooledRelease(release, { kinds, tools }),
    configured,
    refusal,
    startCooldown,
    quarantine,
    recordUse,
    check,
    forgetAccount: credentialsInUse.forgetAccount,
    stop,
  };
}
