import { Link } from "wouter";
import type { KeyListingResponse } from "../../../../src/http/dashboard/contract/keys.ts";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { LastUse } from "./keys-table.tsx";
import { keyEndText } from "./texts.ts";

export function EndedKeys({
  keys,
  allKeys,
}: {
  keys: readonly KeyListingResponse[];
  allKeys: readonly KeyListingResponse[];
}) {
  const findSuccessor = ({ successor_id: id }: KeyListingResponse) =>
    allKeys.find((key) => key.id === id);
  const columns: readonly Column<KeyListingResponse>[] = [
    {
      title: "Name",
      cell: (key) => (
        <>
          <Link href={`/keys/${key.id}`}>
            <bdi>{key.name}</bdi>
          </Link>
          <small>
            <code>{key.shown}</code>
          </small>
        </>
      ),
    },
    {
      title: "Ended",
      cell: (key) => (
        <>
          {keyEndText(key)}, <Ago at={key.revoked_at ?? key.expires_at ?? key.created_at} />
          {key.successor_id === null ? null : (
            <small>
              Replaced by <code>{findSuccessor(key)?.shown ?? `ear_${key.successor_id}_…`}</code>
            </small>
          )}
        </>
      ),
    },
    { title: "Last used", cell: (key) => <LastUse listing={key} /> },
  ];
  return (
    <section aria-labelledby="ended">
      <div className="section-head">
        <h2 id="ended">Ended</h2>
        <p>In the last 30 days. They cannot be restored.</p>
      </div>
      <div className="panel">
        <Table
          caption="Keys that have ended"
          columns={columns}
          rows={keys}
          rowKey={({ id }) => id}
        />
      </div>
    </section>
  );
}
