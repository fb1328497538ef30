import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type { MastodonStreamSettings } from "./settings.ts";

const maxRedirects = 3;

export function createMastodonClients(settings: MastodonStreamSettings) {
  const guard = createGuard([settings.server, ...settings.privateHosts], {
    setting: "EARSHOT_UPSTREAM_PRIVATE_HOSTS",
  });
  const fetch = createGuardedFetch({
    ...settings,
    guard,
    timeoutMs: settings.fetchTimeoutMs,
    maxBytes: settings.maxResponseBytes,
    maxRedirects,
  });
  const client = createGuardedFetch({
    ...settings,
    guard,
    timeoutMs: settings.idleTimeoutMs,
    maxBytes: settings.maxFrameBytes,
    maxRedirects: 0,
  });
  return { guard, fetch, client };
}
