import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { GuardedClient } from "../../lib/guarded-fetch.ts";
import type { AccessKind, Upstream } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { CredentialPool, PooledCredential } from "../credentials/pool.ts";
import { createPublicAccess, credentialAccess } from "./access-methods.ts";
import { createLimits } from "./limits.ts";
import { openSession, type SessionOptions } from "./open-session.ts";
import type { SpendingOperations } from "./operations.ts";
import type { RequestOutcome, SendContext } from "./outgoing-request.ts";
import { createPace } from "./pace.ts";
import { createReservations } from "./reservations.ts";
import type { OpenSession, Sessions, UpstreamJob } from "./sessions.ts";
import { createSpending } from "./spending.ts";

export type SessionsContext = {
  pool: CredentialPool;
  upstreams: readonly Upstream[];
  /**
   * Must not follow redirects (`maxRedirects: 0`): sessions do, but only without a credential and
   * within one origin.
   */
  fetch: GuardedClient;
  store: Pick<Store<SpendingOperations>, "write">;
  clock: Clock;
  random: () => number;
  settings: {
    timeoutMs: number;
    maxResponseBytes: number;
    maxAnswerValues: number;
    tries: number;
    retryPauseMs: number;
    maxRetryPauseMs: number;
    limitPauseMs: number;
    maxLimitPauseMs: number;
    dispatchesPerSecond: number;
    xMonthlyPostReads: number;
  };
  onOutcome?: (platform: Platform, outcome: RequestOutcome) => void;
};

type SessionRequest = Parameters<Sessions["open"]>[0];
type RankedSession = { session: OpenSession; closedUntilMs: number | null };

/** Applies limits, pace and budget to all jobs of the process. */
export function createSessions(context: SessionsContext): Sessions {
  const { pool, clock, random, settings, store } = context;
  const upstreams = new Map(context.upstreams.map((upstream) => [upstream.platform, upstream]));
  const limits = createLimits({
    clock,
    random,
    pauses: { minMs: settings.limitPauseMs, maxMs: settings.maxLimitPauseMs },
  });
  const pace = createPace({ clock, perSecond: settings.dispatchesPerSecond });
  const bounds = {
    fetch: context.fetch,
    timeoutMs: settings.timeoutMs,
    maxResponseBytes: settings.maxResponseBytes,
  };
  const publicAccess = createPublicAccess(bounds);
  const reservationsOf = createReservations(clock);
  const revisions = new Map<string, number>();

  function findUpstream(platform: Platform): Upstream {
    const upstream = upstreams.get(platform);
    if (upstream === undefined) throw new Error(`no upstream client for ${platform}`);
    return upstream;
  }

  const sendContext = (platform: Platform): SendContext => ({
    clock,
    random,
    limits,
    tries: settings.tries,
    retryPauses: { minMs: settings.retryPauseMs, maxMs: settings.maxRetryPauseMs },
    maxValues: settings.maxAnswerValues,
    onOutcome: (outcome) => context.onOutcome?.(platform, outcome),
  });

  function credentialSession(
    request: SessionRequest,
    foundCredential: FoundCredential,
  ): RankedSession {
    const upstream = findUpstream(request.platform);
    const { credential, owner, access, cooldownUntilMs } = foundCredential;
    const { id, coolings, subject, host } = credential;
    const revision = foundCredential.revision();
    // The store has dropped the limits of a replaced secret.
    if (revision !== (revisions.get(id) ?? revision)) limits.reopen(id, listBuckets(coolings));
    revisions.set(id, revision);
    for (const { bucket, untilMs } of coolings) limits.close({ owner: id, bucket }, untilMs);
    const limitKey = { owner: id, bucket: request.bucket ?? "" };
    if (cooldownUntilMs !== null) limits.close(limitKey, cooldownUntilMs);
    const session = openSession({
      ...sharedOptions(request, upstream),
      access,
      owner,
      credentialId: id,
      subjectId: subject,
      baseUrl: host,
      transport: credentialAccess(bounds, foundCredential, pool),
      spending: jobSpending(request.job, upstream, { credentialId: id, owner }),
    });
    return { session, closedUntilMs: limits.closedUntilMs(limitKey) };
  }

  function publicSessions(request: SessionRequest): RankedSession[] {
    const upstream = findUpstream(request.platform);
    const baseUrl = request.host ?? upstream.publicBaseUrl;
    const isAllowed = request.access.includes("public") && request.ownership === "any";
    if (!isAllowed || baseUrl === null || (request.credentialId ?? null) !== null) return [];
    const session = openSession({
      ...sharedOptions(request, upstream),
      access: "public",
      owner: null,
      credentialId: null,
      subjectId: null,
      baseUrl,
      transport: publicAccess,
      spending: null,
    });
    const limitKey = {
      owner: publicAccess.findOwner(new URL(baseUrl)),
      bucket: request.bucket ?? "",
    };
    return [{ session, closedUntilMs: limits.closedUntilMs(limitKey) }];
  }

  function sharedOptions(
    { job }: SessionRequest,
    upstream: Upstream,
  ): Pick<SessionOptions, "send" | "pace" | "upstream" | "job" | "publicAccess" | "nowMs"> {
    const { platform } = upstream;
    return { send: sendContext(platform), pace, upstream, job, publicAccess, nowMs: clock.now() };
  }

  function jobSpending(
    job: UpstreamJob,
    { platform, computePrice }: Upstream,
    spender: { credentialId: string; owner: "account" | "deployment" },
  ): SessionOptions["spending"] {
    if (computePrice === null) return null;
    return createSpending({
      store,
      clock,
      computePrice,
      maxPostReads: platform === "x" ? settings.xMonthlyPostReads : null,
      spender: { platform, ...spender, accountId: job.accountId },
      job,
      reservations: reservationsOf(job),
    });
  }

  return {
    open: async (request) => {
      const credentials = await findCredentials(pool, request);
      const rankedSessions = credentials.map((credential) =>
        credentialSession(request, credential),
      );
      return [...rankedSessions, ...publicSessions(request)]
        .toSorted(byOpening)
        .map(({ session }) => session);
    },
    refusal: pool.refusal,
    configured: async (platform, accountId) => {
      const isPublic = findUpstream(platform).publicBaseUrl !== null;
      const configuredAccess = await pool.configured(platform, accountId);
      return isPublic ? [...configuredAccess, { access: "public", owner: null }] : configuredAccess;
    },
  };
}

const listBuckets = (coolings: readonly { bucket: string }[]): string[] =>
  coolings.map(({ bucket }) => bucket);

const byOpening = (a: RankedSession, b: RankedSession): number =>
  (a.closedUntilMs ?? 0) - (b.closedUntilMs ?? 0);

type FoundCredential = PooledCredential & { access: Exclude<AccessKind, "public"> };

/**
 * The account's credentials, then the deployment's; within each, `user` before `app`, and one
 * released for the job last of its kind.
 */
export async function findCredentials(
  pool: CredentialPool,
  request: Omit<Parameters<Sessions["open"]>[0], "job"> & {
    job: Pick<UpstreamJob, "accountId" | "released">;
  },
): Promise<readonly FoundCredential[]> {
  const { job, platform, access, ownership, bucket, host, credentialId = null } = request;
  const { accountId } = job;
  const kinds = (["user", "app"] as const).filter((kind) => access.includes(kind));
  const releasedCredential = job.released === undefined ? null : pool.openRelease(job.released);
  const isUsable = ({ kind, owner }: PooledCredential): boolean =>
    kind.platform === platform &&
    kinds.includes(kind.access) &&
    (ownership === "any" || owner === "account");
  if (credentialId !== null) {
    const isReleased = releasedCredential?.credential.id === credentialId;
    const credential = isReleased
      ? releasedCredential
      : await pool.find(accountId, credentialId, bucket);
    return credential !== null && isUsable(credential) ? [withAccess(credential)] : [];
  }
  const choices = kinds.map(async (kind) => {
    const choice = { platform, accountId, access: kind, ownership, bucket, host };
    return (await pool.choose(choice)).map((pooled) => ({ ...pooled, access: kind }));
  });
  const ownCredentials = (await Promise.all(choices)).flat();
  const isReleaseIncluded =
    releasedCredential !== null &&
    isUsable(releasedCredential) &&
    (host === null || releasedCredential.credential.host === host);
  return [
    ...ownCredentials,
    ...(isReleaseIncluded ? [withAccess(releasedCredential)] : []),
  ].toSorted(byOwner);
}

const withAccess = (pooledCredential: PooledCredential): FoundCredential => ({
  ...pooledCredential,
  access: pooledCredential.kind.access,
});

function byOwner(a: FoundCredential, b: FoundCredential): number {
  const rank = ({ owner, access }: FoundCredential) =>
    (owner === "account" ? 0 : 2) + (access === "user" ? 0 : 1);
  return rank(a) - rank(b);
}
