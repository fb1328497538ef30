import type { Caller } from "../../accounts/authenticate.ts";
import type { SessionSettings } from "../../accounts/sessions/settings.ts";
import type { HttpContext } from "../context.ts";

/** Ends requests that callers have open, soon after their key or session ended or their account was suspended or deleted. */
export type CallerWatch = {
  /** Calls `end` once the caller is no longer valid, until the function that it returns is called. */
  watch(caller: Caller, end: () => void): () => void;
  /** Whether the caller is still valid. A store that does not answer counts as yes. */
  isValid(caller: Caller): Promise<boolean>;
  /** Looks at once: for a process that has just ended a key, a session or an account itself. */
  look(): Promise<void>;
};

/** What other processes end, such as `earshot keys revoke`, is noticed within this time. */
const lookMs = 1_000;

export function createCallerWatch(
  {
    accounts,
    clock,
    dashboard,
  }: Pick<HttpContext, "accounts" | "clock"> & {
    dashboard: { sessions: Pick<SessionSettings, "idleMs"> };
  },
  stopping: AbortSignal,
): CallerWatch {
  const watched = new Map<() => void, Caller>();
  let isLooking = false;

  async function endedOf(callers: readonly Caller[]): Promise<ReadonlySet<string>> {
    const { idleMs } = dashboard.sessions;
    const asked = { callers, idleMs, nowMs: clock.now() };
    // A store that does not answer says nothing about any caller; the next look does.
    return new Set(await accounts.read("findEndedCallers", asked).catch(() => []));
  }

  async function look(): Promise<void> {
    if (watched.size === 0) return;
    const callers = [...new Map([...watched.values()].map((one) => [nameOf(one), one])).values()];
    const ended = await endedOf(callers);
    for (const [end, caller] of [...watched]) if (ended.has(nameOf(caller))) end();
  }

  /** It ends when nothing is watched any more; a timer for each short wait would cost more than a look. */
  async function lookRepeatedly(): Promise<void> {
    isLooking = true;
    // A stop ends what is watched, and must not wait for the next look.
    while (watched.size > 0 && !stopping.aborted) {
      await clock.sleep(lookMs, stopping).catch(() => undefined);
      await look();
    }
    isLooking = false;
  }

  function watch(caller: Caller, end: () => void): () => void {
    watched.set(end, caller);
    if (!isLooking) void lookRepeatedly();
    return () => {
      watched.delete(end);
    };
  }

  return {
    watch,
    look,
    isValid: async (caller) => !(await endedOf([caller])).has(nameOf(caller)),
  };
}

const nameOf = ({ keyId, sessionId }: Caller): string => sessionId ?? keyId;
