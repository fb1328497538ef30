import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { tooLate } from "../../platforms/request-errors.ts";
import type { Limit } from "../../platforms/upstream.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import {
  type LimitState,
  type LimitUsage,
  limitUsage,
  noteAnswer,
  noteEnd,
  noteRefusal,
  noteReplacement,
  noteSilence,
  unknownLimit,
} from "./limit-state.ts";

/**
 * Limits per credential (or host without one) and bucket. Reported limits are obeyed in advance, counting pending requests;
 * before the first report, requests go one at a time. FIFO.
 */
export type Limits = {
  /**
   * Errors: `UpstreamLimited` when used up, at once if impatient, else if it reopens after the deadline; `upstream_timeout`
   * when that passes; the reason of the signal.
   */
  take(asked: AskedPermit): Promise<Permit>;
  /** Unix milliseconds; null if open. */
  closedUntilMs(place: LimitPlace): number | null;
  /** Marks the limit as used up, by earlier knowledge. */
  close(place: LimitPlace, untilMs: number): void;
  /** Drops used-up limits, except in these buckets. */
  reopen(owner: string, except: readonly string[]): void;
};

/** Doubled after each consecutive failure. */
export type Pauses = { leastMs: number; mostMs: number };

export type LimitsContext = {
  clock: Clock;
  random: () => number;
  /** Applies to refusals without a reported end. */
  pauses: Pauses;
};

type LimitPlace = { owner: string; bucket: string };

export type Patience = "patient" | "impatient";

type AskedPermit = LimitPlace & {
  host: string;
  patience: Patience;
  /** The wait after an answer in sequence, milliseconds; else 0. */
  intervalMs: number;
  /** The end of the wait for a used-up limit. */
  deadlineMs: number;
  /** The end of the wait for an interval. */
  intervalDeadlineMs: number;
  signal: AbortSignal;
};

/** Permits one request. Call exactly one method when it has ended. */
export type Permit = {
  answered(told: Limit | null): void;
  unanswered(): void;
  unused(): void;
  /** Returns until when no request is sent, Unix milliseconds. */
  refused(untilMs: number | null): number;
};

/** Consecutive refusals after which longer pauses override requested ones. */
const mostBelieved = 3;

/** Limits kept; beyond it, those without information are dropped. */
const mostLimits = 10_000;

type Waiter = AskedPermit & { admit: (permit: Permit) => void; refuse: (reason: unknown) => void };
type Closed = Extract<LimitUsage, { untilMs: number }>;
type Held = LimitState & {
  waiting: Waiter[];
  wake: { atMs: number; timer: AbortController } | null;
};

export function createLimits({ clock, random, pauses }: LimitsContext): Limits {
  const limits = new Map<string, Held>();

  function heldOf(place: LimitPlace): Held {
    const key = keyOf(place);
    const known = limits.get(key);
    if (known !== undefined) return known;
    if (limits.size >= mostLimits) forgetIdle();
    const made: Held = { ...unknownLimit(), waiting: [], wake: null };
    limits.set(key, made);
    return made;
  }

  function forgetIdle(): void {
    for (const [key, held] of limits) {
      const isIdle = held.underWay === 0 && held.waiting.length === 0;
      if (isIdle && limitUsage(held, clock.elapsed()).kind === "open") limits.delete(key);
    }
  }

  function admit(held: Held): void {
    for (;;) {
      const first = held.waiting[0];
      if (first === undefined) {
        stopWaking(held);
        return;
      }
      const now = limitUsage(held, clock.elapsed());
      if (now.kind === "unknown") return;
      if (now.kind !== "open") {
        refuseAll(held, now);
        if (held.waiting.length > 0) wakeAt(held, now.untilMs);
        return;
      }
      held.waiting.shift();
      first.admit(permitOf(held));
    }
  }

  function refuseAll(held: Held, { kind, untilMs }: Closed): void {
    const retryAtMs = wallOf(untilMs);
    const isOutOfTime = ({ patience, deadlineMs, intervalDeadlineMs }: Waiter) =>
      patience === "impatient" || (kind === "paced" ? intervalDeadlineMs : deadlineMs) <= retryAtMs;
    const gone = held.waiting.filter(isOutOfTime);
    held.waiting = held.waiting.filter((waiter) => !isOutOfTime(waiter));
    for (const { host, refuse } of gone) refuse(new UpstreamLimited(host, retryAtMs));
  }

  function wakeAt(held: Held, atMs: number): void {
    if (held.wake?.atMs === atMs) return;
    stopWaking(held);
    const timer = new AbortController();
    const wake = { atMs, timer };
    held.wake = wake;
    const woken = () => {
      held.wake = null;
      admit(held);
    };
    // Rounded up, because timers may fire slightly early.
    clock.sleep(Math.ceil(atMs - clock.elapsed()), timer.signal).then(woken, () => undefined);
  }

  function stopWaking(held: Held): void {
    held.wake?.timer.abort(noLonger);
    held.wake = null;
  }

  function permitOf(held: Held): Permit {
    held.underWay += 1;
    const { era } = held;
    let isOver = false;
    const end = (note: () => void) => {
      if (isOver) return;
      isOver = true;
      held.underWay -= 1;
      note();
      admit(held);
    };
    const ended = (note: () => void) =>
      end(() => {
        noteEnd(held, clock.elapsed());
        note();
      });
    const noteRefused = (untilMs: number | null) => {
      const nowMs = clock.elapsed();
      const askedMs = untilMs === null ? null : elapsedOf(untilMs);
      // Requests pending together are refused together, which counts once.
      if (era === held.era) {
        const ownMs = nowMs + backoffMs(held.refusals, pauses, random);
        const isBelieved = held.refusals < mostBelieved;
        noteRefusal(held, isBelieved ? (askedMs ?? ownMs) : Math.max(askedMs ?? 0, ownMs));
      } else if (askedMs !== null) {
        held.closedUntilMs = Math.max(held.closedUntilMs, askedMs);
      }
    };
    return {
      answered: (told) => ended(() => noteAnswer(held, era, toldHere(told))),
      unanswered: () => ended(() => noteSilence(held, era)),
      unused: () => end(() => undefined),
      refused: (untilMs) => {
        ended(() => noteRefused(untilMs));
        return wallOf(held.closedUntilMs);
      },
    };
  }

  const toldHere = (told: Limit | null): Limit | null =>
    told && { remaining: told.remaining, resetMs: elapsedOf(told.resetMs) };
  const elapsedOf = (wallMs: number): number => wallMs - clock.now() + clock.elapsed();
  const wallOf = (elapsedMs: number): number => elapsedMs - clock.elapsed() + clock.now();

  function take(asked: AskedPermit): Promise<Permit> {
    const { signal, host, intervalMs } = asked;
    const deadlineMs = intervalMs > 0 ? asked.intervalDeadlineMs : asked.deadlineMs;
    const held = heldOf(asked);
    held.intervalMs = intervalMs;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const deadline = new AbortController();
      let isOver = false;
      const waiter: Waiter = {
        ...asked,
        admit: (permit) => end(() => resolve(permit)),
        refuse: (reason) => end(() => reject(reason)),
      };
      const giveUp = (reason: unknown) => {
        held.waiting = held.waiting.filter((other) => other !== waiter);
        waiter.refuse(reason);
        admit(held);
      };
      const onAbort = () => giveUp(signal.reason);
      const end = (settle: () => void) => {
        isOver = true;
        signal.removeEventListener("abort", onAbort);
        deadline.abort(noLonger);
        settle();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      held.waiting.push(waiter);
      admit(held);
      if (isOver) return;
      clock.sleep(Math.max(0, deadlineMs - clock.now()), deadline.signal).then(
        () => giveUp(tooLate(host)),
        () => undefined,
      );
    });
  }

  return {
    take,
    closedUntilMs: (place) => {
      const held = limits.get(keyOf(place));
      const now = held && limitUsage(held, clock.elapsed());
      return now?.kind === "closed" ? wallOf(now.untilMs) : null;
    },
    close: (place, untilMs) => {
      const held = heldOf(place);
      held.closedUntilMs = Math.max(held.closedUntilMs, elapsedOf(untilMs));
    },
    reopen: (owner, except) => {
      const kept = new Set(except.map((bucket) => keyOf({ owner, bucket })));
      for (const [key, held] of limits) {
        if (!key.startsWith(keyOf({ owner, bucket: "" })) || kept.has(key)) continue;
        if (limitUsage(held, clock.elapsed()).kind !== "closed") continue;
        noteReplacement(held);
        admit(held);
      }
    },
  };
}

const keyOf = ({ owner, bucket }: LimitPlace): string => `${owner} ${bucket}`;

/** Shared, because an abort without a reason creates an exception each time. */
const noLonger = new Error("nobody waits any more");
