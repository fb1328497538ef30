/** Translates SQLite's SQL, in which operations are written. */

export type PostgresQuery = {
  text: string;
  names: readonly string[];
};

const translated = new Map<string, PostgresQuery>();

/**
 * `CAST(… AS …)` is valid in both dialects. `toSqlite` drops `FOR NO KEY UPDATE`: unlike `FOR UPDATE`, it does not
 * wait for inserts of rows that reference the locked one.
 */
export function toPostgres(sql: string): PostgresQuery {
  const cached = translated.get(sql);
  if (cached !== undefined) return cached;
  const query = translate(sql);
  translated.set(sql, query);
  return query;
}

const parts =
  /(?<literal>'(?:[^']|'')*')|(?<json>\b\w+)\s*->>\s*(?<path>'[^']*')|\bIS\s+(?<not>NOT\s+)?(?=:|')|:(?<name>\w+)|(?<camel>\b[a-z]+[A-Z]\w*\b)|\bjson_each(?=\()|\bgroup_concat(?=\()|\bINTEGER\b|\bLIKE\b/g;

function translate(sql: string): PostgresQuery {
  const names: string[] = [];

  function placeholder(name: string): string {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  }

  const text = sql.replaceAll(parts, (whole, ...matched) => {
    const { literal, json, path, not, name, camel } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (literal !== undefined) return literal;
    if (json !== undefined) return `json_text(${json}, ${path})`;
    if (name !== undefined) return placeholder(name);
    // PostgreSQL folds unquoted names to lower case.
    if (camel !== undefined) return `"${camel}"`;
    if (whole === "json_each") return "json_values";
    if (whole === "group_concat") return "string_agg";
    if (whole === "INTEGER") return "BIGINT";
    if (whole === "LIKE") return "ILIKE";
    return not === undefined ? "IS NOT DISTINCT FROM " : "IS DISTINCT FROM ";
  });
  return { text, names };
}

export const toSqlite = (sql: string): string => sql.replaceAll(" FOR NO KEY UPDATE", "");
