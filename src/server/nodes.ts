import { randomBytes, randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Archive } from "../archive/archive.ts";
import type { Metrics } from "../http/metrics/metrics.ts";
import { embeddedNodeId } from "../jobs/lease.ts";
import type { FailedAttempt } from "../jobs/leases.ts";
import type { EndedJob, JobQueue } from "../jobs/queue.ts";
import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import type { Capability } from "../remote/capability.ts";
import { releasesFor } from "../remote/evidence/release-rules.ts";
import { NodeGateway } from "../remote/gateway/gateway.ts";
import { enrolmentTokenOf } from "../remote/protocol/enrolment.ts";
import { gatewayKeyOf } from "../remote/protocol/keys.ts";
import { gatewayDefaults } from "../remote/settings.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { Config } from "./config.ts";
import type { Control } from "./control.ts";
import { createJobRouter, type JobRouter } from "./job-router.ts";
import { insecureEvidenceWarning, openNodeTrust } from "./node-trust.ts";
import type { UpstreamRole } from "./upstreams.ts";

/** Remote nodes, and how jobs are divided with the embedded one. */
export type NodesRole = {
  gateway: NodeGateway;
  placing: JobRouter;
  /** Expired leases and jobs leased until their deadline count against the node. */
  noteFailedAttempt(attempt: FailedAttempt): void;
  /** The embedded node's success may count against a node that failed. */
  noteEnd(ended: Pick<EndedJob, "uuid" | "state" | "node">): void;
  /** Call before anything is served. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

type NodesRoleContext = {
  config: Config;
  store: Control["store"];
  secretKey: Uint8Array;
  queue: JobQueue;
  upstreams: Pick<UpstreamRole, "sources" | "release">;
  archive: Archive;
  metrics: Pick<
    Metrics,
    "nodeDispatches" | "refusedNodeAnswers" | "nodeRegistrations" | "releasedCredentials"
  >;
  clock: Clock;
  log: Logger;
};

/** How often own capabilities are re-evaluated, such as after a credential change. */
const lookMs = 10_000;

/** Errors: those of `openNodeTrust`. */
export function createNodesRole(context: NodesRoleContext): NodesRole {
  const { config, store, queue, upstreams, archive, metrics, clock, log } = context;
  const settings = { ...gatewayDefaults, ...config.nodes };
  const trust = openNodeTrust(settings, clock);
  const rules = trust.policy?.credentials ?? [];
  const stopping = new AbortController();
  let capabilities: readonly Capability[] = [];
  let releasable: readonly Capability[] = [];
  let looking: Promise<void> = Promise.resolve();
  const placing = createJobRouter({
    embedded: settings.embedded,
    capabilities: () => capabilities,
    nodes: () => gateway.nodes(),
    awayMs: settings.awayMs,
    clock,
  });
  const { deadlineMs, deadlineGraceMs, resultRetentionMs } = config.jobs;
  const gateway = new NodeGateway({
    settings,
    resultMs: deadlineMs + deadlineGraceMs + resultRetentionMs,
    store,
    queue,
    verifier: trust.verifier,
    policy: trust.policy,
    enrolmentToken: enrolmentTokenOf(context.secretKey),
    gatewayKey: gatewayKeyOf(context.secretKey),
    clock,
    randomBytes,
    randomUuid: randomUUID,
    log,
    embeddedReach: placing.reachHere,
    ...(rules.length > 0 && {
      releases: {
        allowed: (verified) => releasesFor(rules, verified),
        capabilities: () => releasable,
        credentialFor: (work, accountId, { platform, owner }) =>
          upstreams.release(platform, work, owner === "any" ? accountId : ""),
        onRelease: ({ platform, owner }) => metrics.releasedCredentials.inc({ platform, owner }),
      },
    }),
    onDispatch: (evidence) => metrics.nodeDispatches.inc({ evidence }),
    onRefusedAnswer: (code) => metrics.refusedNodeAnswers.inc({ code }),
    onRegistration: (outcome) => {
      metrics.nodeRegistrations.inc({ outcome });
      // From now on jobs are divided.
      if (outcome === "admitted") void look();
    },
  });

  async function keepLooking(): Promise<void> {
    // Without remote nodes, the embedded node takes every job.
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      if (isFirst || gateway.nodes().length > 0) await look();
      await clock.sleep(lookMs, stopping.signal).catch(() => undefined);
    }
  }

  async function look(): Promise<void> {
    try {
      capabilities = await capabilitiesOf(config, upstreams, archive);
      releasable = capabilities.map(byCredential).filter(({ ways }) => ways.length > 0);
      queue.wakeNodes();
    } catch (fault) {
      log.warn({ error: messageOf(fault) }, "what this server can do could not be told");
    }
  }

  return {
    gateway,
    placing,
    noteFailedAttempt: ({ nodeId, why }) => {
      if (nodeId === null || nodeId === embeddedNodeId) return;
      if (why === "lapsed") gateway.noteStall(nodeId, "lease_lapsed");
      if (why === "late") gateway.noteStall(nodeId, "job_late");
    },
    noteEnd: ({ uuid, state, node }) => {
      if (state === "done" && node === embeddedNodeId) gateway.noteAnswered(node, uuid);
    },
    start: async () => {
      const warning = insecureEvidenceWarning(settings);
      if (warning !== null) log.warn(warning);
      await gateway.start();
      looking = keepLooking();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([looking, gateway.stop()]);
      await trust.close();
    },
  };
}

const byCredential = (one: Capability): Capability => ({
  ...one,
  ways: one.ways.filter((way) => way === "credential" || way === "api"),
});
