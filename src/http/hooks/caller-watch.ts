import type { Caller } from "../../accounts/authenticate.ts";
import type { SessionSettings } from "../../accounts/sessions/settings.ts";
import type { HttpContext } from "../context.ts";

/** Ends what callers hold open for long, soon after they are good no more. */
export type CallerWatch = {
  /** Calls `end` once the caller's key or session has ended or its account is suspended, until the function that it returns is called. */
  watch(caller: Caller, end: () => void): () => void;
};

const lookMs = 5_000;

export function createCallerWatch({
  accounts,
  clock,
  dashboard,
}: Pick<HttpContext, "accounts" | "clock"> & {
  dashboard: { sessions: Pick<SessionSettings, "idleMs"> };
}): CallerWatch {
  const watched = new Map<() => void, Caller>();
  let rest = new AbortController();

  async function look(): Promise<void> {
    const callers = [...new Map([...watched.values()].map((one) => [nameOf(one), one])).values()];
    const { idleMs } = dashboard.sessions;
    const asked = { callers, idleMs, nowMs: clock.now() };
    const ended = new Set(await accounts.read("findEndedCallers", asked));
    for (const [end, caller] of [...watched]) if (ended.has(nameOf(caller))) end();
  }

  async function lookAgainAndAgain({ signal }: AbortController): Promise<void> {
    for (;;) {
      await clock.sleep(lookMs, signal);
      // A store that does not answer tells nothing of anybody; the next look does.
      await look().catch(() => undefined);
    }
  }

  function watch(caller: Caller, end: () => void): () => void {
    watched.set(end, caller);
    if (watched.size === 1) {
      rest = new AbortController();
      // It ends by the signal, when nobody is watched any more.
      lookAgainAndAgain(rest).catch(() => undefined);
    }
    return () => {
      if (watched.delete(end) && watched.size === 0) rest.abort(nobody);
    };
  }

  return { watch };
}

const nameOf = ({ keyId, sessionId }: Caller): string => sessionId ?? keyId;

/** One for all, as an abort without a reason makes an exception each time. */
const nobody = new Error("nobody is watched any more");
