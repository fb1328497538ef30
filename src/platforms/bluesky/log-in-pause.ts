import { UpstreamLimited } from "../upstream-limited.ts";

/** Keeps credentials from logging in while their host takes no logins: each refused try would count against them too. */
export type LogInPause = {
  /** Errors: those of `logIn`; `upstream_limited` without a try while an earlier one's time is not over. */
  keep<Told>(credentialId: string, nowMs: number, logIn: () => Promise<Told>): Promise<Told>;
};

export function createLogInPause(): LogInPause {
  const limits = new Map<string, UpstreamLimited>();
  return {
    keep: async (credentialId, nowMs, logIn) => {
      const limit = limits.get(credentialId);
      if (limit !== undefined && limit.retryAtMs > nowMs) throw limit;
      limits.delete(credentialId);
      try {
        return await logIn();
      } catch (thrown) {
        if (thrown instanceof UpstreamLimited) limits.set(credentialId, thrown);
        throw thrown;
      }
    },
  };
}
