import type { Archive, ArchiveChange } from "../../archive/archive.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { isDid } from "../../platforms/bluesky/at-uri.ts";
import {
  mostProfiles,
  profilesUrl,
  readProfileViews,
} from "../../platforms/bluesky/profile-views.ts";
import type { IngestLog } from "../ingest-log.ts";
import type { LookUpState } from "../ingest-state.ts";
import { nextTry } from "../streams/link.ts";
import { requestedPauseMs } from "./lookup-pause.ts";

/**
 * Learns of the accounts whose posts are held what their posts do not say: handle, name, the labels of the account. It asks
 * the network's AppView, some accounts in one request, each again after a while, at a bounded rate and slower where the
 * AppView wants it. What was found is written together with the note that the account was asked for.
 *
 * An account that the AppView does not tell of, as it is gone or hidden, counts as asked for: its handle could be read from
 * its own identity document, but nobody would have checked that the handle agrees.
 */
export type LookUp = {
  /** Asks for an account soon, whenever it was asked for last. Of more than can be remembered the rest wait for their age. */
  ask(account: string): void;
  state(): LookUpState;
  stop(): Promise<void>;
};

export type LookUpSettings = {
  appViewUrl: string;
  /** An account is asked for again after this. */
  ageMs: number;
  requestsPerSecond: number;
  /** Ids of accounts whose labels are believed. */
  sources: readonly string[];
  timeoutMs: number;
  maxBytes: number;
  leastBackoffMs: number;
  mostBackoffMs: number;
};

export type LookUpRequest = {
  archive: Pick<Archive, "accountsToLookUp" | "write">;
  fetch: GuardedFetch;
  clock: Clock;
  /** From 0 to below 1. */
  random: () => number;
  settings: LookUpSettings;
  log: IngestLog;
};

/** Pause when fewer accounts are left than fit into one request, so that some gather. */
const gatherMs = 2_000;
const mostAsked = 1_000;

export function startLookUp(request: LookUpRequest): LookUp {
  const { archive, clock, random, settings, log } = request;
  const backoff = { leastMs: settings.leastBackoffMs, mostMs: settings.mostBackoffMs };
  const sources = new Set(settings.sources);
  const { host } = new URL(settings.appViewUrl);
  const stopping = new AbortController();
  const asked = new Set<string>();

  const counts = { found: 0, missing: 0, failures: 0 };
  let answers = false;
  let waiting: { reason: string; untilMs: number } | null = null;
  let nextRequestMs = clock.elapsed();
  /** The pause that the AppView asked for with its last refusal. */
  let askedMs: number | null = null;

  async function run(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const accounts = await nextAccounts();
        if (accounts.length > 0) await lookUp(accounts);
        failures = 0;
        if (accounts.length < mostProfiles) await pause(gatherMs);
      } catch (fault) {
        if (stopping.signal.aborted) return;
        failures += 1;
        await waitAfter(fault, failures);
      }
    }
  }

  async function nextAccounts(): Promise<readonly string[]> {
    const beforeMs = clock.now() - settings.ageMs;
    const due = await archive.accountsToLookUp("bluesky", beforeMs, mostProfiles);
    return [...new Set([...asked, ...due])].slice(0, mostProfiles);
  }

  async function lookUp(accounts: readonly string[]): Promise<void> {
    const nowMs = clock.now();
    const known = accounts.filter(isDid);
    const found = await ask(known);
    const changes = accounts.flatMap((userId): readonly ArchiveChange[] => [
      ...(found.get(userId) ?? []),
      { kind: "looked-up", platform: "bluesky", userId, atMs: nowMs },
    ]);
    await archive.write({ changes });
    for (const account of accounts) asked.delete(account);
    counts.found += found.size;
    counts.missing += accounts.length - found.size;
  }

  /** What the AppView tells of accounts. It refuses a request with any account that it takes for none: then each half is asked. */
  async function ask(
    accounts: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ArchiveChange[]>> {
    if (accounts.length === 0) return new Map();
    const observedMs = clock.now();
    const answer = await get(profilesUrl(settings.appViewUrl, accounts));
    if (answer.status === 200) {
      const found = readProfileViews(answer.json(), accounts, { sources, observedMs });
      answers = true;
      waiting = null;
      return found;
    }
    if (answer.status === 429) askedMs = requestedPauseMs(answer.headers, clock.now());
    if (answer.status !== 400) throw new Error(`HTTP ${answer.status}`);
    const half = Math.floor(accounts.length / 2);
    if (half === 0) return new Map();
    const first = await ask(accounts.slice(0, half));
    return new Map([...first, ...(await ask(accounts.slice(half)))]);
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

  async function waitAfter(fault: unknown, failures: number): Promise<void> {
    counts.failures += 1;
    answers = false;
    const waitMs = Math.max(askedMs ?? 0, backoffMs(failures - 1, backoff, random));
    askedMs = null;
    const reason = messageOf(fault);
    waiting = { reason, untilMs: clock.elapsed() + waitMs };
    log.warn({ host, reason, waitMs }, "look-up: accounts are not told of");
    await pause(waitMs);
  }

  async function pause(ms: number): Promise<void> {
    if (ms > 0) await clock.sleep(ms, stopping.signal).catch(() => {});
  }

  function state(): LookUpState {
    if (stopping.signal.aborted) return { status: "off", detail: "stopped", ...counts };
    if (waiting !== null) {
      const detail = `waiting for ${host}: ${waiting.reason}, ${nextTry(clock, waiting.untilMs)}`;
      return { status: "waiting", detail, ...counts };
    }
    const detail = answers ? `${host} answers` : "nothing was looked up yet";
    return { status: answers ? "connected" : "waiting", detail, ...counts };
  }

  const ended = run();
  return {
    ask: (account) => {
      if (asked.size < mostAsked) asked.add(account);
    },
    state,
    stop: async () => {
      stopping.abort(new Error("the look-up ends"));
      await ended;
    },
  };
}
