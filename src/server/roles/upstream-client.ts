import { Resolver } from "node:dns/promises";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch, type GuardedClient } from "../../lib/guarded-fetch.ts";
import type { Config } from "../config.ts";
import { allSettings } from "../settings/settings.ts";
import { packageVersion } from "../version.ts";

/** Limits the size and duration of responses; follows no redirects. */
export type UpstreamClient = {
  fetch: GuardedClient;
  resolveTxt: (name: string) => Promise<string[][]>;
  close(): Promise<void>;
};

export function openUpstreamClient(config: Config): UpstreamClient {
  const { timeoutMs, maxResponseBytes: maxBytes } = config.upstreams;
  const fetch = createGuardedFetch({
    guard: createGuard(configuredAddresses(config), { setting: "EARSHOT_UPSTREAM_PRIVATE_HOSTS" }),
    userAgent: `earshot/${packageVersion()}`,
    timeoutMs,
    maxBytes,
    maxRedirects: 0,
    maxConnectionsPerHost: connectionsFor(config),
  });
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  return {
    fetch,
    resolveTxt: (name) => resolver.resolveTxt(name),
    close: async () => {
      resolver.cancel();
      await fetch.close();
    },
  };
}

const minConnections = 64;

/** Waiting for a connection would count against a job's timeout. */
const connectionsFor = ({ jobs }: Config): number =>
  Math.max(minConnections, jobs.concurrency + jobs.fetchConcurrency);

/** Configured hosts may have private addresses. */
function configuredAddresses({ upstreams, ingest, mastodonStream, backfill }: Config): string[] {
  const defaults = new Set(allSettings().flatMap(({ fallback }) => fallback));
  const addresses = [
    ...upstreams.privateHosts,
    ...(upstreams.mastodonInstance === null ? [] : [upstreams.mastodonInstance]),
    ...(mastodonStream.server === null ? [] : [mastodonStream.server]),
    upstreams.xApiUrl,
    backfill.plcUrl,
    ingest.appviewUrl,
  ];
  return addresses.filter((address) => !defaults.has(address));
}
