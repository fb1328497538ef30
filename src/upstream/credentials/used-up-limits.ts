import type { StoredCredential } from "./rows.ts";

export type UsedUpLimits = {
  start(id: string, revision: number, limit: { bucket: string; untilMs: number }): void;
  /** Limits reported for a replaced secret do not count; the store drops them. */
  untilOf(stored: StoredCredential, bucket: string | null, nowMs: number): number | null;
};

type ReportedLimits = { revision: number; untilMs: ReadonlyMap<string, number> };

export function createUsedUpLimits(): UsedUpLimits {
  const reported = new Map<string, ReportedLimits>();

  function untilOf(
    { credential, revision }: StoredCredential,
    bucket: string | null,
    nowMs: number,
  ): number | null {
    if (bucket === null) return null;
    const known = reported.get(credential.id);
    const own =
      known !== undefined && known.revision >= revision ? known.untilMs.get(bucket) : null;
    const stored = credential.coolings.find((cooling) => cooling.bucket === bucket)?.untilMs;
    const untilMs = own != null && own > nowMs ? own : stored;
    return untilMs !== undefined && untilMs > nowMs ? untilMs : null;
  }

  function start(
    id: string,
    revision: number,
    { bucket, untilMs }: { bucket: string; untilMs: number },
  ): void {
    const known = reported.get(id);
    const others = known?.revision === revision ? known.untilMs : [];
    reported.set(id, { revision, untilMs: new Map([...others, [bucket, untilMs]]) });
  }

  return { start, untilOf };
}
