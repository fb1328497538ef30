/** A table with the parameters of each call and `call`, its index. */
export function batchedCalls(name: string, types: Readonly<Record<string, string>>): string {
  const columns = Object.entries(types).map(([column, type]) => `${column} ${type}`);
  return `json_to_recordset(CAST(CAST(:calls AS TEXT) AS JSON)) AS ${name}(call BIGINT, ${columns.join(", ")})`;
}

/** The long JSON texts of the calls: escaping them within JSON would be most of the cost. */
export const batchedResults = `(SELECT result, number - 1 AS call
  FROM unnest(string_to_array(CAST(:results AS TEXT), chr(1))) WITH ORDINALITY AS part(result, number)) AS batched_result`;

/** Replaces the parameters in a single call's SQL with columns. */
export const parametersAsColumns = (name: string, sql: string): string =>
  sql.replaceAll(/:(?=\w)/g, `${name}.`);
