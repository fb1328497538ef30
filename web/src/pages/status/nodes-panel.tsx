import { useEffect, useRef } from "preact/compat";
import type { NodeStatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import { Empty } from "../../components/empty.tsx";
import { Table } from "../../components/table.tsx";
import { nodeColumns } from "../../nodes/node-columns.tsx";

export function NodesPanel({ nodes }: { nodes: readonly NodeStatusResponse[] }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (location.hash === "#nodes") panel.current?.scrollIntoView();
  }, []);
  return (
    <section className="panel" id="nodes" aria-labelledby="nodes-title" ref={panel}>
      <div className="panel-head">
        <h2 id="nodes-title">Nodes</h2>
        <a className="push small" href="/docs/attestation">
          What attestation proves
        </a>
      </div>
      {nodes.length === 0 ? (
        <Empty
          title="No nodes"
          text="This server does not run searches itself, and no remote node is connected. Jobs wait for a node until they time out."
        />
      ) : (
        <Table
          caption="Nodes and what each proves"
          columns={columns}
          rows={nodes}
          rowKey={({ id }) => id}
        />
      )}
    </section>
  );
}

const { node, status, evidence, proves, doesNotProve, running, jobs } = nodeColumns;
const columns = [node, status, evidence, proves, doesNotProve, running, jobs];
