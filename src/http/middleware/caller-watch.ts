import type { Caller } from "../../accounts/authenticate.ts";
import type { SessionSettings } from "../../accounts/sessions/settings.ts";
import type { HttpContext } from "../context.ts";

export type CallerWatch = {
  watch(caller: Caller, end: () => void): () => void;
  /** Also true if the store does not answer. */
  isValid(caller: Caller): Promise<boolean>;
  check(): Promise<void>;
};

/** Changes by other processes, such as `earshot keys revoke`, take effect within this time. */
const checkMs = 1_000;

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
  let isChecking = false;

  async function findEnded(callers: readonly Caller[]): Promise<ReadonlySet<string>> {
    const { idleMs } = dashboard.sessions;
    const params = { callers, idleMs, nowMs: clock.now() };
    return new Set(await accounts.read("findEndedCallers", params).catch(() => []));
  }

  async function check(): Promise<void> {
    if (watched.size === 0) return;
    const callers = [
      ...new Map([...watched.values()].map((caller) => [callerKey(caller), caller])).values(),
    ];
    const ended = await findEnded(callers);
    for (const [end, caller] of [...watched]) if (ended.has(callerKey(caller))) end();
  }

  /** One loop costs less than a timer per wait. */
  async function checkRepeatedly(): Promise<void> {
    isChecking = true;
    // Shutdown must not wait for the next check.
    while (watched.size > 0 && !stopping.aborted) {
      await clock.sleep(checkMs, stopping).catch(() => undefined);
      await check();
    }
    isChecking = false;
  }

  function watch(caller: Caller, end: () => void): () => void {
    watched.set(end, caller);
    if (!isChecking) void checkRepeatedly();
    return () => {
      watched.delete(end);
    };
  }

  return {
    watch,
    check,
    isValid: async (caller) => !(await findEnded([caller])).has(callerKey(caller)),
  };
}

const callerKey = ({ keyId, sessionId }: Caller): string => sessionId ?? keyId;
