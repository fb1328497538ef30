/** Parts of statements for several calls (listed-statements.ts). */

/** A table of the calls, with their parameters as columns, and `call`. */
export function listedCalls(name: string, types: Readonly<Record<string, string>>): string {
  const columns = Object.entries(types).map(([column, type]) => `${column} ${type}`);
  return `json_to_recordset(CAST(CAST(:calls AS TEXT) AS JSON)) AS ${name}(call BIGINT, ${columns.join(", ")})`;
}

/** A table of their JSON texts, `result`, with the `call`: long texts, whose escaping within JSON would cost most of a call. */
export const listedResults = `(SELECT result, number - 1 AS call
  FROM unnest(string_to_array(CAST(:results AS TEXT), chr(1))) WITH ORDINALITY AS part(result, number)) AS listed_result`;

/** The statement of one call with the columns of a table instead of parameters. */
export const parametersAsColumns = (name: string, sql: string): string =>
  sql.replaceAll(/:(?=\w)/g, `${name}.`);
