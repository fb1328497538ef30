import type { Credential } from "./credential.ts";

/** The limits that are used up, as this process was told last, else as the store holds them. */
export type Coolings = {
  cool(id: string, bucket: string, untilMs: number): void;
  /** Until when a bucket is used up; null when it is open, and for no bucket. */
  untilOf(credential: Credential, bucket: string | null, nowMs: number): number | null;
};

export function createCoolings(): Coolings {
  const told = new Map<string, Map<string, number>>();

  function untilOf(credential: Credential, bucket: string | null, nowMs: number): number | null {
    if (bucket === null) return null;
    const own = told.get(credential.id)?.get(bucket);
    const stored = credential.coolings.find((cooling) => cooling.bucket === bucket)?.untilMs;
    const untilMs = own !== undefined && own > nowMs ? own : stored;
    return untilMs !== undefined && untilMs > nowMs ? untilMs : null;
  }

  function cool(id: string, bucket: string, untilMs: number): void {
    const buckets = told.get(id) ?? new Map<string, number>();
    told.set(id, buckets.set(bucket, untilMs));
  }

  return { cool, untilOf };
}
