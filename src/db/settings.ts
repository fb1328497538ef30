import type { RandomBytes } from "../lib/base62.ts";
import { read, relaxed } from "./operations.ts";
import type { Database, Steps } from "./statements.ts";

export type SecretName = "cursor_key" | "seed";

const secretNames: readonly SecretName[] = ["cursor_key", "seed"];

/** Creates missing 32-byte secrets; concurrent processes agree on them. */
export function* ensureSecrets(database: Database, randomBytes: RandomBytes): Steps<void> {
  for (const name of secretNames) {
    if (yield* database.get("SELECT 1 FROM setting WHERE name = :name", { name })) continue;
    yield* database.run("INSERT INTO setting VALUES(:name, :value) ON CONFLICT DO NOTHING", {
      name,
      value: randomBytes(32),
    });
  }
}

export const settingOperations = {
  open: relaxed(function* (database, _args: null) {
    return {
      cursorKey: yield* readSecret(database, "cursor_key"),
      hasSecrets: yield* hasSecrets(database),
    };
  }),

  hasSecrets: read(function* (database, _args: null): Steps<boolean> {
    return yield* hasSecrets(database);
  }),

  readSecret: read(function* (database, { name }: { name: SecretName }) {
    return yield* readSecret(database, name);
  }),
};

function* readSecret(database: Database, name: SecretName): Steps<Uint8Array> {
  const row = yield* database.get<{ value: Uint8Array }>(
    "SELECT value FROM setting WHERE name = :name",
    {
      name,
    },
  );
  if (row === undefined) throw new Error(`the control store has no ${name}`);
  return row.value;
}

function* hasSecrets(database: Database): Steps<boolean> {
  const row = yield* database.get<{ found: number }>(
    "SELECT EXISTS(SELECT 1 FROM webhook) OR EXISTS(SELECT 1 FROM credential) AS found",
  );
  return row?.found === 1;
}
