import type { StoredCredential } from "./rows.ts";

/** The limits that are used up, as this process was told last, else as the store holds them. */
export type UsedUpLimits = {
  /** `revision`: that of the credential's secret, as it is in use. */
  cool(id: string, revision: number, told: { bucket: string; untilMs: number }): void;
  /**
   * Until when a bucket is used up; null when it is open, and for no bucket. Of a credential whose secret was changed since, by
   * whomever, what the store holds counts: it forgets what concerned a secret that was replaced.
   */
  untilOf(stored: StoredCredential, bucket: string | null, nowMs: number): number | null;
};

type Told = { revision: number; untilMs: ReadonlyMap<string, number> };

export function createUsedUpLimits(): UsedUpLimits {
  const told = new Map<string, Told>();

  function untilOf(
    { credential, revision }: StoredCredential,
    bucket: string | null,
    nowMs: number,
  ): number | null {
    if (bucket === null) return null;
    const known = told.get(credential.id);
    const own =
      known !== undefined && known.revision >= revision ? known.untilMs.get(bucket) : null;
    const stored = credential.coolings.find((cooling) => cooling.bucket === bucket)?.untilMs;
    const untilMs = own != null && own > nowMs ? own : stored;
    return untilMs !== undefined && untilMs > nowMs ? untilMs : null;
  }

  function cool(
    id: string,
    revision: number,
    { bucket, untilMs }: { bucket: string; untilMs: number },
  ): void {
    const known = told.get(id);
    const others = known?.revision === revision ? known.untilMs : [];
    told.set(id, { revision, untilMs: new Map([...others, [bucket, untilMs]]) });
  }

  return { cool, untilOf };
}
