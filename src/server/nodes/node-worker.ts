import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Capability } from "../../remote/capability.ts";
import type { EvidenceProvider } from "../../remote/evidence/evidence.ts";
import { openProvider } from "../../remote/evidence/providers.ts";
import { gatewayTimeoutMs } from "../../remote/settings.ts";
import {
  type AttestationStatus,
  type AttestLoop,
  startAttestLoop,
} from "../../remote/worker/attest-loop.ts";
import { createGatewayLink, type GatewayLink } from "../../remote/worker/gateway-link.ts";
import {
  createGatewayClock,
  createGatewayPin,
  createReachability,
  type GatewayClock,
} from "../../remote/worker/gateway-state.ts";
import { createRemoteGateway, type RemoteGateway } from "../../remote/worker/remote-gateway.ts";
import { loadNodeKeys, type NodeSelf } from "../../remote/worker/self.ts";
import type { NodeConfig } from "../settings/require-node-settings.ts";
import { packageVersion } from "../version.ts";

export type NodeWorker = {
  self: NodeSelf;
  name: string;
  provider: EvidenceProvider;
  link: GatewayLink;
  attestLoop: AttestLoop;
  gatewayClock: GatewayClock;
  gateway: RemoteGateway;
  close(): Promise<void>;
};

export type NodeWorkerContext = {
  config: NodeConfig;
  name: string;
  archive: Archive;
  capabilities: () => Promise<readonly Capability[]>;
  clock: Clock;
  random: () => number;
  log: Logger;
  onStatus: (status: AttestationStatus) => void;
};

/** Smaller changes of the clock are not logged. */
const clockChangeMs = 5_000;

/** See protocol/messages.ts. */
const maxConcurrency = 1_000;
const maxNameLength = 64;

/** Connections in addition to one per running job. */
const extraConnections = 16;

/** Errors: `evidence_unavailable`, `identity_unreadable`. */
export async function startNodeWorker(context: NodeWorkerContext): Promise<NodeWorker> {
  const { config, name, archive, clock, random, log, onStatus } = context;
  const { node: settings, jobs } = config;
  const provider = await openProvider(settings.evidence, config.data.dir);
  const self = await loadNodeKeys(config.data.dir, randomBytes);
  const { keys, keyId } = self;
  const concurrency = Math.min(maxConcurrency, jobs.concurrency + jobs.fetchConcurrency);
  const fetch = createGuardedFetch({
    guard: createGuard([settings.gateway]),
    userAgent: `earshot-node/${packageVersion()}`,
    // The gateway decides how long a lease request stays open.
    timeoutMs: maxLeaseRequestMs + gatewayTimeoutMs,
    connectTimeoutMs: gatewayTimeoutMs,
    maxBytes: 0,
    maxRedirects: 0,
    maxConnectionsPerHost: concurrency + extraConnections,
  });
  const gatewayClock = createGatewayClock(clock);
  const reachability = createReachability({
    clock,
    random,
    onChange: (error) => {
      if (error === null) log.info("the gateway is reachable again");
      else log.warn({ error: error.message }, "the gateway is unreachable");
    },
  });
  const pin = createGatewayPin(settings.gatewayKey, (key) =>
    log.warn(
      { gateway: key },
      "the gateway's key is trusted on first use: set EARSHOT_NODE_GATEWAY_KEY to pin it",
    ),
  );
  const link = createGatewayLink({
    gatewayUrl: settings.gateway,
    fetch,
    keys,
    keyId,
    enrolmentToken: settings.enrolmentToken,
    pin,
    clock,
    gatewayClock,
    reachability,
    onUnknownNode: (sentMs) => attestLoop.attestAgain(sentMs),
    timeoutMs: gatewayTimeoutMs,
  });
  const attestLoop = startAttestLoop({
    self,
    offer: {
      name,
      concurrency,
      version: packageVersion(),
      capabilities: context.capabilities,
    },
    provider,
    link,
    gatewayClock,
    clock,
    random,
    reachability,
    pin,
    onStatus,
    onClockChange: (changeMs) => {
      if (Math.abs(changeMs) < clockChangeMs) return;
      log.warn({ change_ms: Math.round(changeMs) }, "the gateway's clock changed");
    },
  });
  const gateway = createRemoteGateway({
    self,
    evidence: provider.kind,
    link,
    attestLoop,
    reachability,
    archive,
    clock,
    gatewayClock,
    log,
  });
  return {
    self,
    name,
    provider,
    link,
    attestLoop,
    gatewayClock,
    gateway,
    close: async () => {
      attestLoop.stop();
      await fetch.close();
    },
  };
}

/** See protocol/messages.ts. */
const maxLeaseRequestMs = 600_000;

export const hostName = (): string =>
  stripControls(hostname()).slice(0, maxNameLength).toWellFormed() || "node";
