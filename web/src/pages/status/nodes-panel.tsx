import { useEffect, useRef } from "react";
import type { NodeStatus } from "../../../../src/http/dashboard/contract.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { wholeNumber } from "../../numbers.ts";

/** Who runs the searches, and what each proves beside what it does not. */
export function NodesPanel({ nodes }: { nodes: readonly NodeStatus[] }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (location.hash === "#nodes") panel.current?.scrollIntoView();
  }, []);
  return (
    <section className="panel" id="nodes" aria-labelledby="nodes-title" ref={panel}>
      <div className="panel-head">
        <h2 id="nodes-title">Nodes</h2>
      </div>
      <Table
        caption="Nodes and what each proves"
        columns={columns}
        rows={nodes}
        keyOf={({ name }) => name}
      />
    </section>
  );
}

const tones: Partial<Record<NodeStatus["evidence"], Tone>> = {
  simulated: "caution",
  tdx: "accent",
  snp: "accent",
  nitro: "accent",
};

const columns: readonly Column<NodeStatus>[] = [
  {
    title: "Node",
    cell: ({ name }) => (
      <>
        <span className="name">{name}</span>
        {name === "embedded" ? <small>in the gateway</small> : null}
      </>
    ),
  },
  {
    title: "Evidence",
    cell: ({ evidence }) => {
      const tone = tones[evidence];
      return <Badge {...(tone === undefined ? {} : { tone })}>{evidence}</Badge>;
    },
  },
  { title: "Proves", cell: ({ proves }) => proves },
  {
    title: "Does not prove",
    cell: ({ does_not_prove: text }) => <span className="quiet">{text}</span>,
  },
  {
    title: "Attested",
    cell: ({ attested_at: at }) =>
      at === null ? <span className="quiet">Not attested</span> : <Ago at={at} />,
  },
  { title: "Jobs", isNumber: true, cell: ({ jobs }) => wholeNumber(jobs) },
];
