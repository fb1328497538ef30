import type { DatabaseSync } from "node:sqlite";
import type { IdRange } from "../../posts/ids.ts";
import { statementCache } from "../database.ts";
import type { DeltaLookup } from "./merged-candidates.ts";
import { candidatesPerStep } from "./row-scan.ts";

export const noLimit = -1;

/** Visible posts, newest first. */
export type IndexCandidates = {
  matching(expression: string | null, range: IdRange, limit: number): Generator<bigint, void>;
  delta(
    expression: string | null,
    hasHidden: boolean,
    work: { statements: number },
    expired: () => boolean,
  ): DeltaLookup;
};

export function indexCandidates(database: DatabaseSync): IndexCandidates {
  const statement = statementCache(database);
  const selectAnyHidden = database.prepare("SELECT 1 FROM hidden LIMIT 1");

  function* matching(
    expression: string | null,
    { low, high }: IdRange,
    limit: number,
  ): Generator<bigint, void> {
    const sql = selectAnyHidden.get() === undefined ? allSql : visibleSql;
    const rows =
      expression === null
        ? statement(sql.all).iterate(low, high, limit)
        : statement(sql.matching).iterate(expression, low, high, limit);
    for (const row of rows) yield firstColumn(row);
  }

  const delta: IndexCandidates["delta"] =
    (expression, hasHidden, work, expired) =>
    ({ low, high }, limit) => {
      work.statements += 1;
      const sql = hasHidden ? visibleSql : allSql;
      const ids: bigint[] = [];
      const rows =
        expression === null
          ? statement(sql.all).iterate(low, high, limit)
          : statement(sql.matching).iterate(expression, low, high, limit);
      for (const row of rows) {
        const id = firstColumn(row);
        ids.push(id);
        const isExpired = ids.length % candidatesPerStep === 0 && expired();
        if (isExpired || ids.length === limit) return { ids, seenTo: id };
      }
      return { ids, seenTo: low };
    };

  return { matching, delta };
}

const firstColumn = (row: unknown): bigint => (row as [bigint])[0];

const sqlWith = (condition: (id: string) => string) => ({
  all: `SELECT id FROM term_docsize WHERE id BETWEEN ? AND ? ${condition("term_docsize.id")}
    ORDER BY id DESC LIMIT ?`,
  matching: `SELECT rowid FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ? ${condition("term.rowid")}
    ORDER BY rowid DESC LIMIT ?`,
});
const allSql = sqlWith(() => "");
const visibleSql = sqlWith((id) => `AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = ${id})`);
