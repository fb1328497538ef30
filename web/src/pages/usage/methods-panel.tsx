import type { UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import { type Column, Table } from "../../components/table.tsx";
import { durationText, wholeNumber } from "../../numbers.ts";

export function MethodsPanel({ usage: { methods } }: { usage: UsageResponse }) {
  if (methods.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="methods">
      <div className="panel-head">
        <h2 id="methods">By method</h2>
      </div>
      <Table
        caption="Usage by method"
        layout="scroll"
        columns={columns}
        rows={methods}
        rowKey={({ method }) => method}
      />
    </section>
  );
}

const columns: readonly Column<UsageResponse["methods"][number]>[] = [
  { title: "Method", cell: ({ method }) => <code>{method}</code> },
  { title: "Searches", isNumber: true, cell: ({ searches }) => wholeNumber(searches) },
  { title: "Posts", isNumber: true, cell: ({ posts }) => wholeNumber(posts) },
  { title: "p50", isNumber: true, cell: ({ p50_ms: ms }) => msText(ms) },
  { title: "p99", isNumber: true, cell: ({ p99_ms: ms }) => msText(ms) },
  { title: "Failed", isNumber: true, cell: ({ searches_failed: failed }) => wholeNumber(failed) },
];

const msText = (ms: number | null): string => (ms === null ? "none" : durationText(ms));
