import { EarshotError } from "../../../lib/errors.ts";
import { type ImportFieldName, importFields, requiredFields } from "../fields.ts";

export type ColumnMap = ReadonlyMap<ImportFieldName, string>;

export type Columns = {
  fields: readonly { name: ImportFieldName; index: number }[];
  unusedColumns: readonly { name: string; index: number }[];
  count: number;
};

export const isFieldName = (name: string): name is ImportFieldName =>
  Object.hasOwn(importFields, name);

/** Errors: `import_unreadable` if a mapped or required column is missing. */
export function csvColumns(
  file: string,
  header: readonly string[],
  { map, author }: { map: ColumnMap; author: string | null },
): Columns {
  const names = header.map((name) => name.trim());
  for (const column of map.values()) {
    if (!names.includes(column))
      throw missingColumn(file, `no column ${JSON.stringify(column)}`, names);
  }
  const fields = Object.keys(importFields)
    .filter(isFieldName)
    .map((name) => ({ name, index: names.indexOf(map.get(name) ?? name) }))
    .filter(({ index }) => index >= 0);
  for (const name of requiredFields) {
    const isProvided = name === "author" && author !== null;
    if (isProvided || fields.some((field) => field.name === name)) continue;
    throw missingColumn(file, `no column for ${name}`, names);
  }
  const usedColumns = new Set(fields.map(({ index }) => index));
  const unusedColumns = names
    .map((name, index) => ({ name, index }))
    .filter(({ index }) => !usedColumns.has(index));
  return { fields, unusedColumns, count: names.length };
}

function missingColumn(file: string, problem: string, names: readonly string[]): EarshotError {
  const shortNames = names.slice(0, 50).map((name) => name.slice(0, 50));
  return new EarshotError(
    "import_unreadable",
    `cannot read ${file}: ${problem}; its first line has ${shortNames.join(", ")}`,
    {
      status: 400,
      hint: "map the columns with --columns author=COLUMN,created_at=COLUMN,text=COLUMN",
    },
  );
}
