import { type KeyRequest, maxLoggedRequests } from "./request-log-operations.ts";

export type LatestRequests = {
  record(request: KeyRequest): void;
  take(): KeyRequest[];
  restore(requests: readonly KeyRequest[]): void;
};

/** While `maxKeys` keys have unwritten requests, those of further keys are ignored. */
export function createLatestRequests(maxKeys: number): LatestRequests {
  let byKey = new Map<string, KeyRequest[]>();

  function record(request: KeyRequest): void {
    const own = byKey.get(request.keyId);
    if (own === undefined) {
      if (byKey.size < maxKeys) byKey.set(request.keyId, [request]);
      return;
    }
    own.push(request);
    // Done rarely, because removing from the front moves the rest.
    if (own.length >= 2 * maxLoggedRequests) own.splice(0, own.length - maxLoggedRequests);
  }

  function take(): KeyRequest[] {
    const taken = [...byKey.values()].flatMap((own) => own.slice(-maxLoggedRequests));
    byKey = new Map();
    return taken;
  }

  function restore(requests: readonly KeyRequest[]): void {
    const newer = take();
    for (const request of [...requests, ...newer]) record(request);
  }

  return { record, take, restore };
}
