import type { AuditEntryResponse } from "../../../src/http/dashboard/contract/audit.ts";
import { type Column, Table } from "../components/table.tsx";
import { exactTime, fromNow, shortTime, useNow } from "../components/time.tsx";
import { auditSentence } from "./audit-sentence.ts";

const time: Column<AuditEntryResponse> = { title: "When", cell: ({ at }) => <AuditTime at={at} /> };
const description: Column<AuditEntryResponse> = {
  title: "What",
  cell: (entry) => <span className="soft-wrap">{auditSentence(entry)}</span>,
};
const subject: Column<AuditEntryResponse> = {
  title: "Account",
  cell: ({ subject: name }) =>
    name === null ? <span className="quiet">none</span> : <bdi>{name}</bdi>,
};
const actor: Column<AuditEntryResponse> = {
  title: "By",
  cell: ({ actor: name }) => <bdi>{name}</bdi>,
};

export const auditColumns: readonly Column<AuditEntryResponse>[] = [
  time,
  description,
  subject,
  actor,
];

export function AuditTable({
  caption,
  entries,
}: {
  caption: string;
  entries: readonly AuditEntryResponse[];
}) {
  return (
    <Table
      caption={caption}
      columns={[time, description, actor]}
      rows={entries}
      rowKey={({ sequence }) => String(sequence)}
    />
  );
}

const dayMs = 86_400_000;

function AuditTime({ at }: { at: string }) {
  const nowMs = useNow();
  return (
    <time className="nowrap" dateTime={at} title={exactTime(at)}>
      {nowMs - Date.parse(at) < dayMs ? fromNow(at, nowMs) : shortTime(at)}
    </time>
  );
}
