import type { StoredCredential } from "./rows.ts";

export type UsedUpLimits = {
  start(id: string, revision: number, limit: { bucket: string; untilMs: number }): void;
  /** Limits of a replaced secret do not count; the store drops them. */
  usedUpUntil(
    storedCredential: StoredCredential,
    bucket: string | null,
    nowMs: number,
  ): number | null;
};

type ReportedLimits = { revision: number; untilMsByBucket: ReadonlyMap<string, number> };

export function createUsedUpLimits(): UsedUpLimits {
  const limits = new Map<string, ReportedLimits>();

  function usedUpUntil(
    { credential, revision }: StoredCredential,
    bucket: string | null,
    nowMs: number,
  ): number | null {
    if (bucket === null) return null;
    const reportedLimits = limits.get(credential.id);
    const reportedUntilMs =
      reportedLimits !== undefined && reportedLimits.revision >= revision
        ? reportedLimits.untilMsByBucket.get(bucket)
        : null;
    const storedUntilMs = credential.coolings.find((cooling) => cooling.bucket === bucket)?.untilMs;
    const untilMs =
      reportedUntilMs != null && reportedUntilMs > nowMs ? reportedUntilMs : storedUntilMs;
    return untilMs !== undefined && untilMs > nowMs ? untilMs : null;
  }

  function start(
    id: string,
    revision: number,
    { bucket, untilMs }: { bucket: string; untilMs: number },
  ): void {
    const knownLimits = limits.get(id);
    const otherBuckets = knownLimits?.revision === revision ? knownLimits.untilMsByBucket : [];
    limits.set(id, { revision, untilMsByBucket: new Map([...otherBuckets, [bucket, untilMs]]) });
  }

  return { start, usedUpUntil };
}
