import { Counter, Gauge, type Registry } from "prom-client";
import type { NodeView } from "../../remote/gateway/gateway.ts";

export type NodeMetricSource = { nodes(): readonly NodeView[]; isInsecure(): boolean };

export function addNodeMetrics(registry: Registry, source: NodeMetricSource) {
  const registers = [registry];
  new Gauge({
    name: "earshot_nodes",
    help: "Known nodes in other processes, by evidence and state",
    labelNames: ["evidence", "state"],
    registers,
    collect() {
      this.reset();
      for (const node of source.nodes()) {
        this.inc({ evidence: node.evidence, state: getState(node) });
      }
    },
  });
  new Gauge({
    name: "earshot_nodes_insecure",
    help: "Whether nodes with evidence that proves nothing about their machine are accepted or connected",
    registers,
    collect() {
      this.set(source.isInsecure() ? 1 : 0);
    },
  });
  return {
    nodeDispatches: new Counter({
      name: "earshot_node_dispatches_total",
      help: "Jobs dispatched to nodes in other processes",
      labelNames: ["evidence"],
      registers,
    }),
    releasedCredentials: new Counter({
      name: "earshot_node_credentials_released_total",
      help: "Platform credentials sent to nodes in other processes, each for one job",
      labelNames: ["platform", "owner"],
      registers,
    }),
    refusedNodeAnswers: new Counter({
      name: "earshot_node_answers_refused_total",
      help: "Rejected node answers, by reason",
      labelNames: ["code"],
      registers,
    }),
    nodeRegistrations: new Counter({
      name: "earshot_node_registrations_total",
      help: "Node registrations, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
  };
}

function getState({ state, isConnected }: NodeView): string {
  if (state !== "approved") return state;
  return isConnected ? "connected" : "away";
}
