import type { RandomBytes } from "../lib/base62.ts";
import type { Database } from "./open.ts";
import { read, relaxed } from "./operations.ts";

export type SecretName = "cursor_key" | "seed";

const secretNames: readonly SecretName[] = ["cursor_key", "seed"];

/** 32 bytes each; concurrent processes agree. */
export function ensureSecrets(database: Database, randomBytes: RandomBytes): void {
  for (const name of secretNames) {
    if (database.get("SELECT 1 FROM setting WHERE name = :name", { name })) continue;
    database.run("INSERT OR IGNORE INTO setting VALUES(:name, :value)", {
      name,
      value: randomBytes(32),
    });
  }
}

export const settingOperations = {
  /** Opens the store. */
  open: relaxed((database, _args: null) => ({
    cursorKey: secretOf(database, "cursor_key"),
    holdsSecrets: holdsSecrets(database),
  })),

  holdsSecrets: read((database, _args: null): boolean => holdsSecrets(database)),

  readSecret: read((database, { name }: { name: SecretName }) => secretOf(database, name)),
};

function secretOf(database: Database, name: SecretName): Uint8Array {
  const row = database.get<{ value: Uint8Array }>("SELECT value FROM setting WHERE name = :name", {
    name,
  });
  if (row === undefined) throw new Error(`the control store has no ${name}`);
  return row.value;
}

/** Anything is encrypted with the folder's secret key. */
function holdsSecrets(database: Database): boolean {
  const row = database.get<{ found: number }>(
    "SELECT EXISTS(SELECT 1 FROM webhook) OR EXISTS(SELECT 1 FROM credential) AS found",
  );
  return row?.found === 1;
}
