import { displayWidth } from "./text-layout.ts";

export type Column = { title: string; align: "left" | "right" };

export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  emphasise: (line: string) => string,
): string[] {
  const titles = columns.map(({ title }) => title);
  const widths = titles.map((title, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ""))),
  );
  const formatLine = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => pad(cells[index] ?? "", widths[index] ?? 0, align))
      .join("  ")
      .trimEnd();
  return [emphasise(formatLine(titles)), ...rows.map(formatLine)];
}

function pad(cell: string, width: number, align: Column["align"]): string {
  const space = " ".repeat(width - displayWidth(cell));
  return align === "left" ? cell + space : space + cell;
}
