import type { Archive, ArchiveChange } from "../../archive/archive.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { isDid } from "../../platforms/bluesky/at-uri.ts";
import {
  maxProfiles,
  profilesUrl,
  readProfileViews,
} from "../../platforms/bluesky/profile-views.ts";
import type { IngestLog } from "../ingest-log.ts";
import type { AccountLookupState } from "../ingest-state.ts";
import { nextTry } from "../streams/link.ts";
import { requestedPauseMs } from "./lookup-pause.ts";

/**
 * Looks up the handles, names and labels of accounts with archived posts, again after `ageMs`.
 * Accounts that the AppView does not return (deleted or hidden) count as looked up.
 */
export type AccountLookup = {
  enqueue(account: string): void;
  state(): AccountLookupState;
  stop(): Promise<void>;
};

export type LookUpSettings = {
  appViewUrl: string;
  ageMs: number;
  requestsPerSecond: number;
  sources: readonly string[];
  timeoutMs: number;
  maxBytes: number;
  minBackoffMs: number;
  maxBackoffMs: number;
};

export type LookUpRequest = {
  archive: Pick<Archive, "accountsToLookUp" | "write">;
  fetch: GuardedFetch;
  clock: Clock;
  random: () => number;
  settings: LookUpSettings;
  log: IngestLog;
};

const idlePauseMs = 2_000;
const maxQueuedAccounts = 1_000;

export function startAccountLookup(request: LookUpRequest): AccountLookup {
  const { archive, clock, random, settings, log } = request;
  const backoff = { minMs: settings.minBackoffMs, maxMs: settings.maxBackoffMs };
  const sources = new Set(settings.sources);
  const { host } = new URL(settings.appViewUrl);
  const stopping = new AbortController();
  const queue = new Set<string>();

  const counts = { found: 0, missing: 0, failures: 0 };
  let isConnected = false;
  let pendingRetry: { reason: string; untilMs: number } | null = null;
  let nextRequestMs = clock.elapsed();
  let serverPauseMs: number | null = null;

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const accounts = await nextAccounts();
        if (accounts.length > 0) await lookUp(accounts);
        failures = 0;
        if (accounts.length < maxProfiles) await pause(idlePauseMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures += 1;
        await waitAfter(error, failures);
      }
    }
  }

  async function nextAccounts(): Promise<readonly string[]> {
    const beforeMs = clock.now() - settings.ageMs;
    const dueAccounts = await archive.accountsToLookUp("bluesky", beforeMs, maxProfiles);
    return [...new Set([...queue, ...dueAccounts])].slice(0, maxProfiles);
  }

  async function lookUp(accounts: readonly string[]): Promise<void> {
    const nowMs = clock.now();
    const dids = accounts.filter(isDid);
    const changesByAccount = await fetchProfiles(dids);
    const changes = accounts.flatMap((userId): readonly ArchiveChange[] => [
      ...(changesByAccount.get(userId) ?? []),
      { kind: "looked-up", platform: "bluesky", userId, atMs: nowMs },
    ]);
    await archive.write({ changes });
    for (const account of accounts) queue.delete(account);
    counts.found += changesByAccount.size;
    counts.missing += accounts.length - changesByAccount.size;
  }

  /** One invalid account makes the AppView reject a request, so a rejected batch is halved. */
  async function fetchProfiles(
    accounts: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ArchiveChange[]>> {
    if (accounts.length === 0) return new Map();
    const observedMs = clock.now();
    const response = await get(profilesUrl(settings.appViewUrl, accounts));
    if (response.status === 200) {
      const profiles = readProfileViews(response.json(), accounts, { sources, observedMs });
      isConnected = true;
      pendingRetry = null;
      return profiles;
    }
    if (response.status === 429) serverPauseMs = requestedPauseMs(response.headers, clock.now());
    if (response.status !== 400) throw new Error(`HTTP ${response.status}`);
    const half = Math.floor(accounts.length / 2);
    if (half === 0) return new Map();
    const firstHalf = await fetchProfiles(accounts.slice(0, half));
    return new Map([...firstHalf, ...(await fetchProfiles(accounts.slice(half)))]);
  }

  async function get(url: URL) {
    await pause(nextRequestMs - clock.elapsed());
    stopping.signal.throwIfAborted();
    nextRequestMs = clock.elapsed() + 1000 / settings.requestsPerSecond;
    return await request.fetch(url, {
      headers: {
        accept: "application/json",
        ...(sources.size === 0 ? {} : { "atproto-accept-labelers": [...sources].join(", ") }),
      },
      signal: stopping.signal,
      timeoutMs: settings.timeoutMs,
      maxBytes: settings.maxBytes,
    });
  }

  async function waitAfter(error: unknown, failures: number): Promise<void> {
    counts.failures += 1;
    isConnected = false;
    const waitMs = Math.max(serverPauseMs ?? 0, backoffMs(failures - 1, backoff, random));
    serverPauseMs = null;
    const reason = errorMessage(error);
    pendingRetry = { reason, untilMs: clock.elapsed() + waitMs };
    log.warn({ host, reason, waitMs }, "account lookup failed");
    await pause(waitMs);
  }

  async function pause(ms: number): Promise<void> {
    if (ms > 0) await clock.sleep(ms, stopping.signal).catch(() => {});
  }

  function state(): AccountLookupState {
    if (stopping.signal.aborted) return { status: "off", detail: "stopped", ...counts };
    if (pendingRetry !== null) {
      const detail = `waiting for ${host}: ${pendingRetry.reason}, ${nextTry(clock, pendingRetry.untilMs)}`;
      return { status: "waiting", detail, ...counts };
    }
    const detail = isConnected ? `connected to ${host}` : "no lookups yet";
    return { status: isConnected ? "connected" : "waiting", detail, ...counts };
  }

  const finished = run();
  return {
    enqueue: (account) => {
      if (queue.size < maxQueuedAccounts) queue.add(account);
    },
    state,
    stop: async () => {
      stopping.abort(new Error("the account lookup is stopping"));
      await finished;
    },
  };
}
