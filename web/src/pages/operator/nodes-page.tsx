import { useState } from "preact/compat";
import { Link } from "wouter";
import type {
  NodeListing,
  NodesResponse,
} from "../../../../src/http/dashboard/contract/operator.ts";
import { api } from "../../api.ts";
import { commandText } from "../../command-text.ts";
import { Button } from "../../components/button.tsx";
import { CommandLine } from "../../components/command-line.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loading } from "../../components/loading.tsx";
import { Menu } from "../../components/menu.tsx";
import { focusPageHead, PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { nodeColumns } from "../../nodes/node-columns.tsx";
import { quantityText } from "../../numbers.ts";
import { useSignedIn } from "../../session.tsx";
import { useApi } from "../../use-api.ts";
import { allowedNodeChanges, type NodeChange } from "./node-changes.ts";
import { NodeDialog } from "./node-dialogs.tsx";
import { NodeEvents } from "./node-events.tsx";

const path = "/dashboard/api/operator/nodes";
const refreshMs = 5_000;

export function NodesPage() {
  const { data, problem, refresh } = useApi<NodesResponse>(path, refreshMs);
  const [pendingChange, setPendingChange] = useState<{
    node: NodeListing;
    change: NodeChange;
  } | null>(null);
  const request = (node: NodeListing, change: NodeChange) => setPendingChange({ node, change });
  const change = async ({ node, change }: { node: NodeListing; change: NodeChange }) => {
    await api.post<NodesResponse>(`${path}/${node.id}/${change}`);
    setPendingChange(null);
    await refresh();
    if (change === "remove") focusPageHead();
  };
  return (
    <>
      <PageHead title="Nodes">{data === undefined ? "\u00a0" : pageSummary(data.nodes)}</PageHead>
      <div className="stack">
        {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
        {data === undefined ? (
          problem === undefined && <Loading>Loading nodes…</Loading>
        ) : (
          <>
            <NodeTable nodes={data.nodes} onOpen={request} />
            <NodeEvents events={data.events} />
          </>
        )}
      </div>
      {pendingChange === null ? null : (
        <NodeDialog
          node={pendingChange.node}
          change={pendingChange.change}
          onClose={() => setPendingChange(null)}
          onConfirm={() => change(pendingChange)}
        />
      )}
    </>
  );
}

function pageSummary(nodes: readonly NodeListing[]): string {
  const connectedCount = nodes.filter(({ is_connected: isConnected }) => isConnected).length;
  const pendingCount = nodes.filter(({ state }) => state === "pending").length;
  const summary = `${quantityText(nodes.length, "remote node")}, ${connectedCount} connected`;
  return pendingCount === 0
    ? `${summary}.`
    : `${summary}. ${pendingCount} waiting for your approval.`;
}

function NodeTable({
  nodes,
  onOpen,
}: {
  nodes: readonly NodeListing[];
  onOpen(node: NodeListing, change: NodeChange): void;
}) {
  const { base_url: baseUrl } = useSignedIn();
  const columns: readonly Column<NodeListing>[] = [
    nodeColumns.node,
    nodeColumns.status,
    { title: "Evidence", cell: (node) => <EvidenceCell node={node} /> },
    nodeColumns.running,
    nodeColumns.jobs,
    {
      title: "Actions",
      isActions: true,
      cell: (node) => {
        const button = ({ change, text }: { change: NodeChange; text: string }) => (
          <Button
            key={change}
            size="small"
            variant={
              change === "remove" ? "danger" : node.state === "pending" ? "primary" : "plain"
            }
            aria-label={`${text} ${node.name}`}
            onClick={() => onOpen(node, change)}
          >
            {text}
          </Button>
        );
        const changes = allowedNodeChanges(node);
        return (
          <>
            {changes.filter(({ change }) => change !== "remove").map(button)}
            <Menu label={`More actions for ${node.name}`}>
              {changes.filter(({ change }) => change === "remove").map(button)}
            </Menu>
          </>
        );
      },
    },
  ];
  return (
    <section className="panel" aria-labelledby="known-nodes">
      <div className="panel-head">
        <h2 id="known-nodes">Known nodes</h2>
        <Link className="push small" href="/status#nodes">
          What each proves
        </Link>
      </div>
      {nodes.length === 0 ? (
        <Empty
          title="No remote nodes"
          text="A remote node runs searches on another machine. Start one, and it will appear here. It will wait for your approval, unless the policy names its machine."
        >
          <CommandLine command={commandText(`node --gateway ${baseUrl}`)} />
        </Empty>
      ) : (
        <Table caption="Nodes" columns={columns} rows={nodes} rowKey={({ id }) => id} />
      )}
    </section>
  );
}

function EvidenceCell({ node }: { node: NodeListing }) {
  const { image, is_listed: isListed, version } = node;
  return (
    <>
      {nodeColumns.evidence.cell(node)}
      {image === null ? null : <small>image {image}</small>}
      {isListed ? <small>the policy names its machine</small> : null}
      <small>version {version}</small>
    </>
  );
}
