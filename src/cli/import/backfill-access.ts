import { createPoliteFetch, type PoliteFetch } from "../../ingest/backfill/polite-fetch.ts";
import { systemClock } from "../../lib/clock.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Config } from "../../server/config.ts";
import { allSettings } from "../../server/settings/settings.ts";

/** Default limit of a response. */
const maxBytes = 16 * 1024 ** 2;
const maxRedirects = 5;

export type OutgoingAccess = { fetch: PoliteFetch; close(): Promise<void> };

/** Allows private addresses only if configured. */
export function openOutgoingAccess(
  config: Config,
  stopSignal: AbortSignal,
  report: (line: string) => void,
): OutgoingAccess {
  const { backfill } = config;
  const guardedFetch = createGuardedFetch({
    guard: createGuard(configuredAddresses(config), { setting: "EARSHOT_BACKFILL_PRIVATE_HOSTS" }),
    userAgent: "earshot/0.1",
    timeoutMs: backfill.timeoutMs,
    maxBytes,
    maxRedirects,
  });
  const fetch = createPoliteFetch({
    fetch: guardedFetch,
    clock: systemClock,
    random: Math.random,
    requestsPerSecond: backfill.requestsPerSecond,
    signal: stopSignal,
    onWait: ({ reason, waitMs }) => report(`${reason} for ${Math.ceil(waitMs / 1_000)} s\n`),
  });
  return { fetch, close: () => guardedFetch.close() };
}

function configuredAddresses({ ingest, backfill }: Config): string[] {
  const defaults = new Set(allSettings().flatMap(({ fallback }) => fallback));
  const addresses = [
    backfill.plcUrl,
    backfill.replayUrl,
    ...backfill.privateHosts,
    ingest.appviewUrl,
    ...ingest.labelerUrls,
  ];
  return addresses.filter((address) => !defaults.has(address));
}
