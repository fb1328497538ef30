import type { DatabaseSync, StatementSync } from "node:sqlite";

export function statementCache(database: DatabaseSync): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>();
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const prepared = database.prepare(sql);
    prepared.setReadBigInts(true);
    prepared.setReturnArrays(true);
    kept.set(sql, prepared);
    return prepared;
  };
}
