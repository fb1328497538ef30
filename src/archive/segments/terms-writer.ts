import type { DatabaseSync } from "node:sqlite";
import type { PackedTexts } from "../prepared.ts";

export type PostTerms = { terms: string; packed?: PackedTexts };

export type TermsWriter = {
  insert(id: bigint, post: PostTerms): void;
  remove(id: bigint): void;
};

export function ftsTermsIn(database: DatabaseSync): TermsWriter {
  const insert = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
  const remove = database.prepare("DELETE FROM term WHERE rowid = ?");
  return {
    insert: (id, { terms }) => {
      insert.run(id, terms);
    },
    remove: (id) => {
      remove.run(id);
    },
  };
}
