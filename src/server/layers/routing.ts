import { RunningJobs } from "../../jobs/dispatch/active-job.ts";
import { releasesFor } from "../../remote/evidence/release-rules.ts";
import type { NodeView } from "../../remote/gateway/gateway.ts";
import { createNodeDirectory, type NodeDirectory } from "../../remote/gateway/node-directory.ts";
import { gatewayDefaults } from "../../remote/settings.ts";
import type { SourceAvailability } from "../../search/sources.ts";
import { createJobRouter, embeddedRank, type JobRouter } from "../job-router.ts";
import { listCapabilities, OwnCapabilities } from "../nodes/capabilities.ts";
import { type NodeTrust, openNodeTrust } from "../nodes/node-trust.ts";
import type { Base } from "./base.ts";
import type { Search } from "./search.ts";

export type Routing = {
  readonly trust: NodeTrust;
  readonly runningJobs: RunningJobs;
  readonly capabilities: OwnCapabilities;
  readonly directory: NodeDirectory;
  readonly router: JobRouter;
  readonly sources: SourceAvailability;
};

const isWorking = ({ isConnected, state }: NodeView): boolean =>
  isConnected && state === "approved";

/** Errors: those of `openNodeTrust`. */
export function makeRouting(
  { config, store, archive, clock, log, events, sharing }: Base,
  { upstreams }: Search,
): Routing {
  const settings = { ...gatewayDefaults, ...config.nodes };
  const trust = openNodeTrust(settings, clock);
  const rules = trust.policy?.credentials ?? [];
  const runningJobs = new RunningJobs();
  const capabilities = new OwnCapabilities(() => listCapabilities(config, upstreams, archive));
  const directory = createNodeDirectory({
    settings,
    store,
    clock,
    log,
    runningJobs,
    embeddedRank: (work) => embeddedRank(settings.embedded, capabilities.all(), work),
    ...(rules.length > 0 && {
      releaseSource: {
        releasesFor: (verified) => releasesFor(rules, verified),
        capabilities: capabilities.releasable,
        credentialFor: (work, accountId, { platform, owner }) =>
          upstreams.release(platform, work, owner === "any" ? accountId : ""),
        onRelease: (credential) => events.emit("credentialReleased", credential),
      },
    }),
  });
  const router = createJobRouter({
    embedded: settings.embedded,
    capabilities: capabilities.all,
    nodes: () => [...directory.nodes(), ...sharing.otherGateways()],
    clock,
  });
  sharing.offer(() => [
    ...(settings.embedded === "off" ? [] : capabilities.all()),
    ...directory
      .nodes()
      .filter(isWorking)
      .flatMap((node) => node.capabilities),
  ]);
  const sources = upstreams.sourcesWith(router.nodeCapabilities);
  return { trust, runningJobs, capabilities, directory, router, sources };
}
