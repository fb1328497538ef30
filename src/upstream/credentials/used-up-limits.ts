import type { StoredCredential } from "./rows.ts";

export type UsedUpLimits = {
  start(id: string, revision: number, limit: { bucket: string; untilMs: number }): void;
  /** Limits of a replaced secret do not count; the store drops them. */
  usedUpUntil(stored: StoredCredential, bucket: string | null, nowMs: number): number | null;
};

type ReportedLimits = { revision: number; untilMs: ReadonlyMap<string, number> };

export function createUsedUpLimits(): UsedUpLimits {
  const limits = new Map<string, ReportedLimits>();

  function usedUpUntil(
    { credential, revision }: StoredCredential,
    bucket: string | null,
    nowMs: number,
  ): number | null {
    if (bucket === null) return null;
    const reported = limits.get(credential.id);
    const ownUntilMs =
      reported !== undefined && reported.revision >= revision ? reported.untilMs.get(bucket) : null;
    const storedUntilMs = credential.coolings.find((cooling) => cooling.bucket === bucket)?.untilMs;
    const untilMs = ownUntilMs != null && ownUntilMs > nowMs ? ownUntilMs : storedUntilMs;
    return untilMs !== undefined && untilMs > nowMs ? untilMs : null;
  }

  function start(
    id: string,
    revision: number,
    { bucket, untilMs }: { bucket: string; untilMs: number },
  ): void {
    const known = limits.get(id);
    const others = known?.revision === revision ? known.untilMs : [];
    limits.set(id, { revision, untilMs: new Map([...others, [bucket, untilMs]]) });
  }

  return { start, usedUpUntil };
}
