import type { DatabaseSync, StatementSync } from "node:sqlite";

export function statementCache(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const prepared = database.prepare(sql);
    prepared.setReadBigInts(true);
    prepared.setReturnArrays(true);
    statements.set(sql, prepared);
    return prepared;
  };
}
