import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Headers } from "undici";
import { createLocalStore } from "../../src/db/local-store.ts";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openStoreForWriting } from "../../src/db/open.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { createGuard } from "../../src/lib/guard.ts";
import { createGuardedFetch, type GuardedFetch } from "../../src/lib/guarded-fetch.ts";
import type { ManualClock } from "../../src/lib/manual-clock.ts";
import type { CredentialKind } from "../../src/platforms/credential.ts";
import { methodNames } from "../../src/platforms/methods.ts";
import type { Limit, Upstream } from "../../src/platforms/upstream.ts";
import type { Platform } from "../../src/posts/post.ts";
import type { CredentialPool, PooledCredential } from "../../src/upstream/credentials/pool.ts";
import {
  createSessions,
  type SessionsContext,
} from "../../src/upstream/requests/create-sessions.ts";
import { spendingOperations } from "../../src/upstream/requests/operations.ts";
import type { Sessions, UpstreamJob } from "../../src/upstream/requests/sessions.ts";

export type TestPool = CredentialPool & {
  credentials: PooledCredential[];
  /** Such as `cool c1 posts` and `quarantine c1 why`. */
  calls: string[];
};

export const bearer: CredentialKind = {
  platform: "x",
  name: "bearer",
  access: "app",
  title: "a kind",
  purpose: "Reads.",
  description: "a token",
  fields: [],
  make: async () => {
    throw new Error("unexpected call");
  },
  test: async () => "works",
  send: ({ url, headers, signal }, stored, tools) =>
    tools.fetch(url, {
      headers: { ...headers, authorization: `Bearer ${stored.secrets().token}` },
      signal,
    }),
};

export function pooledCredential(
  id: string,
  host: string,
  options: {
    owner?: "account" | "deployment";
    kind?: CredentialKind;
    revision?: () => number;
  } = {},
): PooledCredential {
  const { owner = "deployment", kind = bearer, revision = () => 1 } = options;
  const secrets = { token: `secret-of-${id}` };
  return {
    credential: {
      id,
      accountId: owner === "account" ? "one" : null,
      platform: kind.platform,
      kind: kind.name,
      host,
      subject: null,
      subjectName: null,
      hint: "secr",
      createdMs: 0,
      usedMs: null,
      quarantine: null,
      coolings: [],
    },
    kind,
    credentialInUse: {
      credential: null as never,
      secrets: () => secrets,
      renew: async () => secrets,
    },
    revision,
    tools: { fetch: null as never, now: Date.now, randomBytes: (length) => new Uint8Array(length) },
    owner,
    cooldownUntilMs: null,
  };
}

export function testPool(): TestPool {
  const pool: TestPool = {
    credentials: [],
    calls: [],
    choose: async ({ access, ownership }) =>
      pool.credentials.filter(
        ({ kind, owner }) => kind.access === access && (ownership === "any" || owner === "account"),
      ),
    find: async (_account, id) =>
      pool.credentials.find(({ credential }) => credential.id === id) ?? null,
    openRelease: () => null,
    configured: async () =>
      pool.credentials.map(({ kind, owner }) => ({ access: kind.access, owner })),
    refusal: async () => null,
    startCooldown: (id, bucket) => pool.calls.push(`cool ${id} ${bucket}`),
    quarantine: async (id, _revision, reason) => {
      pool.calls.push(`quarantine ${id} ${reason}`);
      pool.credentials = pool.credentials.filter(({ credential }) => credential.id !== id);
    },
    recordUse: () => {},
  };
  return pool;
}

export function testUpstream(platform: Platform, overrides: Partial<Upstream> = {}): Upstream {
  const noSupport = { access: [], closest: "nothing" } as const;
  return {
    platform,
    support: Object.fromEntries(
      methodNames.map((name) => [name, noSupport]),
    ) as Upstream["support"],
    page: async () => ({ items: [], next: null }),
    search: null,
    publicBaseUrl: null,
    readLimit: reportedLimit,
    computePrice: null,
    displayScope: () => "everything",
    ...overrides,
  };
}

function reportedLimit(headers: Headers): Limit | null {
  const remaining = headers.get("ratelimit-remaining");
  const resetMs = headers.get("ratelimit-reset-ms");
  if (remaining === null || resetMs === null) return null;
  return { remaining: Number(remaining), resetMs: Number(resetMs) };
}

export type TestSessions = {
  sessions: Sessions;
  pool: TestPool;
  store: SessionsContext["store"] & { postReads(month: string): Promise<number> };
  outcomes: string[];
  /** Timeouts for the next requests; later requests have generous ones. */
  timeoutsMs: number[];
  openInAnotherProcess(): Sessions;
  close(): Promise<void>;
};

export function openTestSessions(
  upstream: Upstream,
  hosts: readonly string[],
  overrides: { clock?: Clock; settings?: Partial<SessionsContext["settings"]> } = {},
): TestSessions {
  const { clock = systemClock } = overrides;
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  const path = join(folder, "control.db");
  const database = openStoreForWriting(path, controlMigrations);
  const store = createLocalStore(database, spendingOperations);
  const timeoutsMs: number[] = [];
  const client = createGuardedFetch({
    guard: createGuard(hosts),
    userAgent: "earshot",
    timeoutMs: 5_000,
    maxBytes: 1_000_000,
    maxRedirects: 0,
    maxConnectionsPerHost: 32,
  });
  const send: GuardedFetch = (url, options = {}) =>
    client(url, { ...options, timeoutMs: timeoutsMs.shift() ?? 20_000 });
  const fetch = Object.assign(send, { stream: client.stream, close: client.close });
  const pool = testPool();
  const outcomes: string[] = [];
  const settings = {
    timeoutMs: 20_000,
    maxResponseBytes: 100_000,
    maxAnswerValues: 200_000,
    tries: 3,
    retryPauseMs: 500,
    maxRetryPauseMs: 8_000,
    limitPauseMs: 1_000,
    maxLimitPauseMs: 60_000,
    dispatchesPerSecond: 10_000,
    xMonthlyPostReads: 1_000,
    ...overrides.settings,
  };
  const create = () =>
    createSessions({
      pool,
      upstreams: [upstream],
      fetch,
      store,
      clock,
      random: () => 0,
      settings,
      onOutcome: (_platform, outcome) => outcomes.push(outcome),
    });
  return {
    sessions: create(),
    pool,
    store: {
      ...store,
      postReads: (month) => store.read("readPostReads", { month, platform: upstream.platform }),
    },
    outcomes,
    timeoutsMs,
    openInAnotherProcess: create,
    close: async () => {
      await fetch.close();
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function makeUpstreamJob(uuid: string, overrides: Partial<UpstreamJob> = {}): UpstreamJob {
  return {
    uuid,
    accountId: "one",
    attempt: 1,
    deadlineMs: Date.now() + 30_000,
    signal: new AbortController().signal,
    ...overrides,
  };
}

/** Advances the clock by `speed` ms per real millisecond until the promise settles. */
export async function advanceUntil<Value>(
  clock: ManualClock,
  promise: Promise<Value>,
  speed = 50,
): Promise<Value> {
  let isOver = false;
  const markOver = () => {
    isOver = true;
  };
  promise.then(markOver, markOver);
  while (!isOver) {
    await clock.advance(speed);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return await promise;
}
