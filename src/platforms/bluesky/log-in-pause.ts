import { UpstreamLimited } from "../upstream-limited.ts";

/** Suspends logins while the host rejects them, because rejected attempts count too. */
export type LogInPause = {
  /** Errors: those of `logIn`; `upstream_limited` until the limit resets. */
  guard<Result>(credentialId: string, nowMs: number, logIn: () => Promise<Result>): Promise<Result>;
};

export function createLogInPause(): LogInPause {
  const limits = new Map<string, UpstreamLimited>();
  return {
    guard: async (credentialId, nowMs, logIn) => {
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
