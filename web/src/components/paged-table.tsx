import type { ReactNode } from "preact/compat";
import type { Pages } from "../use-pages.ts";
import { Button } from "./button.tsx";
import { Loading } from "./loading.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { type Column, Table } from "./table.tsx";

export function PagedTable<Row>({
  list: { rows, problem, loadMore, refresh },
  caption,
  columns,
  rowKey,
  isCurrent,
  empty,
  moreLabel = "More",
}: {
  list: Pages<Row>;
  caption: string;
  columns: readonly Column<Row>[];
  rowKey(row: Row): string;
  isCurrent?: (row: Row) => boolean;
  empty: ReactNode;
  moreLabel?: string;
}) {
  return (
    <>
      {problem === undefined ? null : (
        <div className="panel-body">
          <ProblemNote problem={problem} retry={refresh} />
        </div>
      )}
      {rows === undefined && problem === undefined ? (
        <div className="panel-body">
          <Loading>Loading…</Loading>
        </div>
      ) : null}
      {rows?.length === 0 ? empty : null}
      {rows === undefined || rows.length === 0 ? null : (
        <Table
          caption={caption}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          {...(isCurrent === undefined ? {} : { isCurrent })}
        />
      )}
      {loadMore === null ? null : (
        <div className="panel-foot">
          <Button size="small" variant="plain" onClick={loadMore}>
            {moreLabel}
          </Button>
        </div>
      )}
    </>
  );
}
