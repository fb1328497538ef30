import { embeddedNodeId } from "../../jobs/leases/lease.ts";
import { errorMessage } from "../../lib/errors.ts";
import { createNodeGateway, type NodeGateway } from "../../remote/gateway/gateway.ts";
import { makeEnrolmentToken } from "../../remote/protocol/enrolment.ts";
import { deriveGatewayKey } from "../../remote/protocol/keys.ts";
import { gatewayDefaults } from "../../remote/settings.ts";
import { insecureEvidenceWarning } from "../nodes/node-trust.ts";
import type { Base } from "./base.ts";
import type { Jobs } from "./jobs.ts";
import type { Routing } from "./routing.ts";

export type Nodes = {
  readonly gateway: NodeGateway;
  /** Call before serving requests. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

const refreshMs = 10_000;

export function makeNodes(
  { config, secrets, clock, log, events, sharing }: Base,
  { trust, capabilities, directory }: Routing,
  { queue }: Jobs,
): Nodes {
  const settings = { ...gatewayDefaults, ...config.nodes };
  const { deadlineMs, deadlineGraceMs, resultRetentionMs } = config.jobs;
  const stopController = new AbortController();
  let refreshLoop: Promise<void> = Promise.resolve();
  const gateway = createNodeGateway(directory, {
    resultLifetimeMs: deadlineMs + deadlineGraceMs + resultRetentionMs,
    queue,
    verify: trust.verify,
    policy: trust.policy,
    enrolmentToken: makeEnrolmentToken(secrets.secretKey),
    gatewayKey: deriveGatewayKey(secrets.secretKey),
    onDispatch: (evidence) => events.emit("jobDispatched", { evidence }),
    onRefusedAnswer: (code) => events.emit("nodeAnswerRefused", { code }),
    onRegistration: (outcome) => events.emit("nodeRegistered", { outcome }),
  });

  async function keepRefreshing(): Promise<void> {
    // Without remote nodes, the embedded node takes every job.
    for (let isFirst = true; !stopController.signal.aborted; isFirst = false) {
      if (isFirst || directory.nodes().length > 0 || sharing.otherGateways().length > 0)
        await refresh();
      await clock.sleep(refreshMs, stopController.signal).catch(() => undefined);
    }
  }

  async function refresh(): Promise<void> {
    try {
      await capabilities.refresh();
      queue.wakeNodes();
    } catch (error) {
      log.warn({ error: errorMessage(error) }, "reading this server's capabilities failed");
    }
  }

  events.on("nodeRegistered", ({ outcome }) => {
    if (outcome === "admitted") void refresh();
  });
  // Expired leases count against the node.
  events.on("attemptFailed", ({ nodeId, reason }) => {
    if (nodeId === null || nodeId === embeddedNodeId) return;
    if (reason === "lapsed") directory.events.record(nodeId, "lease_lapsed");
    if (reason === "late") directory.events.record(nodeId, "job_late");
  });
  // The embedded node's success may count against a node that failed.
  events.on("jobEnded", ({ uuid, state, node }) => {
    if (state === "done" && node === embeddedNodeId) directory.failures.recordDone(node, uuid);
  });

  return {
    gateway,
    start: async () => {
      const warning = insecureEvidenceWarning(settings);
      if (warning !== null) log.warn(warning);
      await gateway.start();
      refreshLoop = keepRefreshing();
    },
    stop: async () => {
      stopController.abort();
      await Promise.all([refreshLoop, gateway.stop()]);
      await trust.close();
    },
  };
}
