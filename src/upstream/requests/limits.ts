import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { jobDeadlineExceeded } from "../../platforms/request-errors.ts";
import type { Limit } from "../../platforms/upstream.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import {
  type LimitUsage,
  limitUsage,
  type RateLimitState,
  recordAnswer,
  recordEnd,
  recordNoResponse,
  recordRefusal,
  recordReplacement,
  unknownLimit,
} from "./limit-state.ts";

/**
 * Rate limits per credential (or host) and bucket. Pending requests count; before the first report,
 * requests are sent one at a time. Admits waiting requests in FIFO order.
 */
export type RateLimits = {
  /**
   * Errors: `UpstreamLimited`, immediately if impatient, otherwise if the limit reopens after the
   * deadline; `upstream_timeout`.
   */
  take(request: PermitRequest): Promise<Permit>;
  /** Unix milliseconds; null if open. */
  closedUntilMs(scope: LimitScope): number | null;
  close(scope: LimitScope, untilMs: number): void;
  reopen(owner: string, exceptBuckets: readonly string[]): void;
};

/** Pauses double after each consecutive failure. */
export type PauseBounds = { minMs: number; maxMs: number };

export type LimitsContext = {
  clock: Clock;
  random: () => number;
  pauses: PauseBounds;
};

type LimitScope = { owner: string; bucket: string };

export type Patience = "patient" | "impatient";

type PermitRequest = LimitScope & {
  host: string;
  patience: Patience;
  intervalMs: number;
  deadlineMs: number;
  intervalDeadlineMs: number;
  signal: AbortSignal;
};

/** The first call ends the request; later calls are ignored. */
export type Permit = {
  endWithAnswer(limit: Limit | null): void;
  endWithoutResponse(): void;
  endUnused(): void;
  /** Returns the end of the pause in Unix milliseconds. */
  endRefused(untilMs: number | null): number;
};

/** Consecutive refusals after which longer pauses override requested ones. */
const maxTrustedRefusals = 3;

/** Above this number, idle limits are dropped. */
const maxLimits = 10_000;

type Waiter = PermitRequest & {
  admit: (permit: Permit) => void;
  refuse: (reason: unknown) => void;
};
type ClosedUsage = Extract<LimitUsage, { untilMs: number }>;
type WaitingLimit = RateLimitState & {
  waiters: Waiter[];
  wake: { atMs: number; timer: AbortController } | null;
};

export function createLimits({ clock, random, pauses }: LimitsContext): RateLimits {
  const limits = new Map<string, WaitingLimit>();

  function limitFor(scope: LimitScope): WaitingLimit {
    const key = limitKey(scope);
    const existingLimit = limits.get(key);
    if (existingLimit !== undefined) return existingLimit;
    if (limits.size >= maxLimits) forgetIdle();
    const limit: WaitingLimit = { ...unknownLimit(), waiters: [], wake: null };
    limits.set(key, limit);
    return limit;
  }

  function forgetIdle(): void {
    for (const [key, limit] of limits) {
      const isIdle = limit.pendingCount === 0 && limit.waiters.length === 0;
      if (isIdle && limitUsage(limit, clock.elapsed()).kind === "open") limits.delete(key);
    }
  }

  function admit(limit: WaitingLimit): void {
    for (;;) {
      const firstWaiter = limit.waiters[0];
      if (firstWaiter === undefined) {
        stopWaking(limit);
        return;
      }
      const usage = limitUsage(limit, clock.elapsed());
      if (usage.kind === "unknown") return;
      if (usage.kind !== "open") {
        refuseOutOfTime(limit, usage);
        if (limit.waiters.length > 0) wakeAt(limit, usage.untilMs);
        return;
      }
      limit.waiters.shift();
      firstWaiter.admit(limitPermit(limit));
    }
  }

  function refuseOutOfTime(limit: WaitingLimit, { kind, untilMs }: ClosedUsage): void {
    const retryAtMs = toWallMs(untilMs);
    const isOutOfTime = ({ patience, deadlineMs, intervalDeadlineMs }: Waiter) =>
      patience === "impatient" || (kind === "paced" ? intervalDeadlineMs : deadlineMs) <= retryAtMs;
    const expiredWaiters = limit.waiters.filter(isOutOfTime);
    limit.waiters = limit.waiters.filter((waiter) => !isOutOfTime(waiter));
    for (const { host, refuse } of expiredWaiters) refuse(new UpstreamLimited(host, retryAtMs));
  }

  function wakeAt(limit: WaitingLimit, atMs: number): void {
    if (limit.wake?.atMs === atMs) return;
    stopWaking(limit);
    const timer = new AbortController();
    const wake = { atMs, timer };
    limit.wake = wake;
    const wakeUp = () => {
      limit.wake = null;
      admit(limit);
    };
    // Timers may fire slightly early.
    clock.sleep(Math.ceil(atMs - clock.elapsed()), timer.signal).then(wakeUp, () => undefined);
  }

  function stopWaking(limit: WaitingLimit): void {
    limit.wake?.timer.abort(cancelReason);
    limit.wake = null;
  }

  function limitPermit(limit: WaitingLimit): Permit {
    limit.pendingCount += 1;
    const { era } = limit;
    let isOver = false;
    const end = (record: () => void) => {
      if (isOver) return;
      isOver = true;
      limit.pendingCount -= 1;
      record();
      admit(limit);
    };
    const endAndRecord = (record: () => void) =>
      end(() => {
        recordEnd(limit, clock.elapsed());
        record();
      });
    const applyRefusal = (untilMs: number | null) => {
      const nowMs = clock.elapsed();
      const requestedMs = untilMs === null ? null : toElapsedMs(untilMs);
      // Requests refused together count once.
      if (era === limit.era) {
        const backoffUntilMs = nowMs + backoffMs(limit.refusals, pauses, random);
        const isTrusted = limit.refusals < maxTrustedRefusals;
        recordRefusal(
          limit,
          isTrusted ? (requestedMs ?? backoffUntilMs) : Math.max(requestedMs ?? 0, backoffUntilMs),
        );
      } else if (requestedMs !== null) {
        limit.closedUntilMs = Math.max(limit.closedUntilMs, requestedMs);
      }
    };
    return {
      endWithAnswer: (reported) =>
        endAndRecord(() => recordAnswer(limit, era, toElapsedLimit(reported))),
      endWithoutResponse: () => endAndRecord(() => recordNoResponse(limit, era)),
      endUnused: () => end(() => undefined),
      endRefused: (untilMs) => {
        endAndRecord(() => applyRefusal(untilMs));
        return toWallMs(limit.closedUntilMs);
      },
    };
  }

  const toElapsedLimit = (reported: Limit | null): Limit | null =>
    reported && { remaining: reported.remaining, resetMs: toElapsedMs(reported.resetMs) };
  const toElapsedMs = (wallMs: number): number => wallMs - clock.now() + clock.elapsed();
  const toWallMs = (elapsedMs: number): number => elapsedMs - clock.elapsed() + clock.now();

  function take(request: PermitRequest): Promise<Permit> {
    const { signal, host, intervalMs } = request;
    const deadlineMs = intervalMs > 0 ? request.intervalDeadlineMs : request.deadlineMs;
    const limit = limitFor(request);
    limit.intervalMs = intervalMs;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const deadlineTimer = new AbortController();
      let isOver = false;
      const waiter: Waiter = {
        ...request,
        admit: (permit) => end(() => resolve(permit)),
        refuse: (reason) => end(() => reject(reason)),
      };
      const giveUp = (reason: unknown) => {
        limit.waiters = limit.waiters.filter((other) => other !== waiter);
        waiter.refuse(reason);
        admit(limit);
      };
      const onAbort = () => giveUp(signal.reason);
      const end = (settle: () => void) => {
        isOver = true;
        signal.removeEventListener("abort", onAbort);
        deadlineTimer.abort(cancelReason);
        settle();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      limit.waiters.push(waiter);
      admit(limit);
      if (isOver) return;
      clock.sleep(Math.max(0, deadlineMs - clock.now()), deadlineTimer.signal).then(
        () => giveUp(jobDeadlineExceeded(host)),
        () => undefined,
      );
    });
  }

  return {
    take,
    closedUntilMs: (scope) => {
      const limit = limits.get(limitKey(scope));
      const usage = limit && limitUsage(limit, clock.elapsed());
      return usage?.kind === "closed" ? toWallMs(usage.untilMs) : null;
    },
    close: (scope, untilMs) => {
      const limit = limitFor(scope);
      limit.closedUntilMs = Math.max(limit.closedUntilMs, toElapsedMs(untilMs));
    },
    reopen: (owner, exceptBuckets) => {
      const exceptKeys = new Set(exceptBuckets.map((bucket) => limitKey({ owner, bucket })));
      for (const [key, limit] of limits) {
        if (!key.startsWith(limitKey({ owner, bucket: "" })) || exceptKeys.has(key)) continue;
        if (limitUsage(limit, clock.elapsed()).kind !== "closed") continue;
        recordReplacement(limit);
        admit(limit);
      }
    },
  };
}

const limitKey = ({ owner, bucket }: LimitScope): string => `${owner} ${bucket}`;

const cancelReason = new Error("no request is pending");
