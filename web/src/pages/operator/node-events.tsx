import type { NodeEventListing } from "../../../../src/http/dashboard/contract/operator.ts";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";

export function NodeEvents({ events }: { events: readonly NodeEventListing[] }) {
  return (
    <section className="panel" aria-labelledby="node-events">
      <div className="panel-head">
        <h2 id="node-events">Recent events</h2>
      </div>
      {events.length === 0 ? (
        <div className="panel-body">
          <p className="quiet">No events yet.</p>
        </div>
      ) : (
        <Table
          caption="Node events, newest first"
          columns={columns}
          rows={addRowKeys(events)}
          rowKey={({ key }) => key}
        />
      )}
    </section>
  );
}

type Row = NodeEventListing & { key: string };

/** Numbered, because events have no unique fields. */
function addRowKeys(events: readonly NodeEventListing[]): readonly Row[] {
  return events.map((event, index) => ({ ...event, key: String(events.length - index) }));
}

const columns: readonly Column<Row>[] = [
  { title: "When", cell: ({ at }) => <Ago at={at} /> },
  {
    title: "Node",
    cell: ({ node }) =>
      node === null ? <span className="quiet">unknown</span> : <bdi>{node}</bdi>,
  },
  { title: "Event", cell: ({ action }) => action.replaceAll("_", " ") },
  { title: "Detail", cell: ({ detail }) => <span className="soft-wrap">{detail}</span> },
];
