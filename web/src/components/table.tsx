import "./table.css";
import type { ReactNode } from "preact/compat";

export type Column<Row> = {
  /** Column head, and label of the cell in cards. */
  title: string;
  cell(row: Row): ReactNode;
  /** Right-aligned. */
  isNumber?: boolean;
  /** Hidden on medium screens. */
  isSecondary?: boolean;
  /** Buttons; the title is for screen readers only. */
  isActions?: boolean;
};

/** `stacked` shows rows as cards on small screens; others scroll. Roles keep the table semantics. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isCurrent,
  layout = "stacked",
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  isCurrent?: (row: Row) => boolean;
  layout?: "stacked" | "scroll";
}) {
  const table = (
    <table className={layout === "stacked" ? "table stacked" : "table"} role="table">
      <caption className="sr">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th
              key={column.title}
              role="columnheader"
              scope="col"
              data-less={booleanAttribute(column.isSecondary)}
              data-align={getAlignment(column)}
            >
              {column.isActions ? <span className="sr">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row" aria-current={isCurrent?.(row) ? "true" : undefined}>
            {columns.map((column) => (
              <td
                key={column.title}
                role="cell"
                data-label={column.isActions ? "" : column.title}
                data-less={booleanAttribute(column.isSecondary)}
                data-align={getAlignment(column)}
                data-full={booleanAttribute(column.isActions)}
              >
                {column.isActions ? (
                  <div>
                    <div className="row">{column.cell(row)}</div>
                  </div>
                ) : (
                  <span>{column.cell(row)}</span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (layout === "stacked") return table;
  return (
    <section className="scroll" tabIndex={0} aria-label={caption}>
      {table}
    </section>
  );
}

const booleanAttribute = (isSet: boolean | undefined): string | undefined =>
  isSet ? "" : undefined;
const getAlignment = ({ isNumber, isActions }: { isNumber?: boolean; isActions?: boolean }) =>
  isNumber || isActions ? "end" : undefined;
