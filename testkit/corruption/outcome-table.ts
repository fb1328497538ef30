import type { TrialReport } from "./trials.ts";

const columns = [
  "trials",
  "correct",
  "partial",
  "refused",
  "altered",
  "failed",
  "wrong",
  "endless",
  "not opened",
  "check silent",
  "check threw",
] as const;
type Column = (typeof columns)[number];

export function outcomeTable(reports: readonly TrialReport[]): string {
  const rows = new Map<string, Map<Column, number>>();
  for (const report of reports) {
    const name = `${report.trial.file.kind} × ${report.trial.damage}`;
    const row = rows.get(name) ?? new Map<Column, number>();
    rows.set(name, row);
    const count = (column: Column): void => {
      row.set(column, (row.get(column) ?? 0) + 1);
    };
    count("trials");
    for (const { outcome } of report.compared) count(outcome);
    if (report.refusal !== null) count("not opened");
    if (report.checkError !== null) count("check threw");
    else if (report.findings === 0 && isAffected(report)) count("check silent");
  }
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, row]) => [name, ...columns.map((column) => String(row.get(column) ?? ""))]);
  return alignColumns([["", ...columns], ...lines]);
}

export const isAffected = ({ refusal, compared }: TrialReport): boolean =>
  refusal !== null || compared.some(({ outcome }) => outcome !== "correct");

function alignColumns(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
