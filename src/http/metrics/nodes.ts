import { Counter, Gauge, type Registry } from "prom-client";
import type { NodeView } from "../../remote/gateway/gateway.ts";

export type NodeMetricSource = { nodes(): readonly NodeView[]; isInsecure(): boolean };

export function addNodeMetrics(registry: Registry, source: NodeMetricSource) {
  const registers = [registry];
  new Gauge({
    name: "earshot_nodes",
    help: "Nodes of other processes that are known, by what they show for themselves and how they stand",
    labelNames: ["evidence", "state"],
    registers,
    collect() {
      this.reset();
      for (const node of source.nodes()) {
        this.inc({ evidence: node.evidence, state: stateOf(node) });
      }
    },
  });
  new Gauge({
    name: "earshot_nodes_insecure",
    help: "Whether nodes are taken, or connected, whose evidence proves nothing about their machine",
    registers,
    collect() {
      this.set(source.isInsecure() ? 1 : 0);
    },
  });
  return {
    nodeDispatches: new Counter({
      name: "earshot_node_dispatches_total",
      help: "Jobs that were handed to nodes of other processes",
      labelNames: ["evidence"],
      registers,
    }),
    releasedCredentials: new Counter({
      name: "earshot_node_credentials_released_total",
      help: "Credentials of platforms that were released to nodes of other processes, each for one job",
      labelNames: ["platform", "owner"],
      registers,
    }),
    refusedNodeAnswers: new Counter({
      name: "earshot_node_answers_refused_total",
      help: "Answers of nodes that were refused, by what was wrong with them",
      labelNames: ["code"],
      registers,
    }),
    nodeRegistrations: new Counter({
      name: "earshot_node_registrations_total",
      help: "Nodes that came with evidence, by what came of it",
      labelNames: ["outcome"],
      registers,
    }),
  };
}

function stateOf({ state, isConnected }: NodeView): string {
  if (state !== "approved") return state;
  return isConnected ? "connected" : "away";
}
