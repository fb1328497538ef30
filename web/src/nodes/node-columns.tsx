import type { NodeStatusResponse } from "../../../src/http/dashboard/contract/status.ts";
import { Badge } from "../components/badge.tsx";
import type { Column } from "../components/table.tsx";
import { Ago, useNow } from "../components/time.tsx";
import { wholeNumber } from "../numbers.ts";
import { listText, platformNames } from "../platforms.ts";
import { EvidenceBadge } from "./evidence-badge.tsx";
import { nodeStateText } from "./node-state.ts";

export const nodeColumns = {
  node: { title: "Node", cell: (node) => <NodeCell node={node} /> },
  status: { title: "Status", cell: (node) => <StateCell node={node} /> },
  evidence: {
    title: "Evidence",
    cell: ({ evidence, attested_at: attestedAt }) => (
      <>
        <EvidenceBadge evidence={evidence} />
        {attestedAt === null ? null : (
          <small>
            attested <Ago at={attestedAt} />
          </small>
        )}
      </>
    ),
  },
  proves: { title: "Proves", cell: ({ proves }) => proves },
  doesNotProve: {
    title: "Does not prove",
    cell: ({ does_not_prove: text }) => <span className="soft">{text}</span>,
  },
  running: {
    title: "Running",
    isNumber: true,
    cell: ({ running, concurrency }) => (
      <span className="num nowrap">
        {wholeNumber(running)} of {wholeNumber(concurrency)}
      </span>
    ),
  },
  jobs: {
    title: "Jobs",
    isNumber: true,
    cell: ({ jobs, jobs_failed: failed }) => (
      <>
        <span className="num">{wholeNumber(jobs)}</span>
        {failed === 0 ? null : <small>{wholeNumber(failed)} failed</small>}
      </>
    ),
  },
} as const satisfies Record<string, Column<NodeStatusResponse>>;

function NodeCell({
  node: { id, name, platforms, is_spare: isSpare },
}: {
  node: NodeStatusResponse;
}) {
  const isEmbedded = id === "embedded";
  const names = listText(platforms.map((platform) => platformNames[platform]));
  return (
    <>
      <span className="name">
        <bdi>{name}</bdi>
      </span>
      <small>{isEmbedded ? "in this server" : <code>{id}</code>}</small>
      {isSpare ? <small>spare: runs only what no other node can</small> : null}
      <small>{names === "" ? "no platform" : names}</small>
    </>
  );
}

function StateCell({ node }: { node: NodeStatusResponse }) {
  const nowMs = useNow(5_000);
  const { label, tone, detail } = nodeStateText(node, nowMs);
  return (
    <>
      <Badge {...(tone === null ? {} : { tone })}>{label}</Badge>
      {detail === "" ? null : <small>{detail}</small>}
    </>
  );
}
