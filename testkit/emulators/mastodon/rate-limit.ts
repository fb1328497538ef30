import type { EmulatorSettings } from "./options.ts";

/** Each window begins at a multiple of its length. */
export function createRateLimit(settings: EmulatorSettings) {
  const counts = new Map<string, number>();
  const pagingParameters = ["max_id", "min_id", "since_id", "page"];

  return {
    /** Returns the headers of the nearest limit. */
    count(
      caller: string,
      query: URLSearchParams,
    ): { headers: Record<string, string>; isOver: boolean } {
      const { requests, pagingRequests, windowMs } = settings.rateLimit;
      const nowMs = settings.now();
      const window = Math.floor(nowMs / windowMs);
      const countRequest = (kind: string): number => {
        const key = `${caller} ${kind} ${window}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return counts.get(key) ?? 0;
      };
      const limits = [{ limit: requests, remaining: requests - countRequest("all") }];
      if (pagingParameters.some((name) => query.has(name))) {
        limits.push({ limit: pagingRequests, remaining: pagingRequests - countRequest("paging") });
      }
      const [nearest] = limits.sort((a, b) => a.remaining - b.remaining);
      const remaining = nearest?.remaining ?? 0;
      const headers = {
        "x-ratelimit-limit": String(nearest?.limit ?? 0),
        "x-ratelimit-remaining": String(Math.max(0, remaining)),
        "x-ratelimit-reset": new Date((window + 1) * windowMs).toISOString().replace("Z", "000Z"),
      };
      return { headers: settings.differences.noRateHeaders ? {} : headers, isOver: remaining < 0 };
    },
  };
}
