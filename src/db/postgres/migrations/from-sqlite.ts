export function fromSqlite(sql: string): string {
  const typedSql = sql.replaceAll(" INTEGER", " BIGINT").replaceAll(" BLOB", " BYTEA");
  return byteOrder(typedSql.replaceAll(" STRICT, WITHOUT ROWID", ""));
}

/** Makes PostgreSQL compare text byte by byte, as SQLite does. */
export const byteOrder = (sql: string): string => sql.replaceAll(" TEXT", ' TEXT COLLATE "C"');
