import type { Database, Steps } from "../db/statements.ts";
import { type RandomBytes, randomBase62 } from "../lib/base62.ts";
import { newAuditId } from "./audit.ts";

const accountIdLength = 12;

/** The caller writes the audit entry. */
export function* insertAccount(
  database: Database,
  { name, nowMs }: { name: string | null; nowMs: number },
  randomBytes: RandomBytes,
): Steps<string> {
  const id = randomBase62(accountIdLength, randomBytes);
  yield* database.run(
    "INSERT INTO account(id, name, audit_id, created_ms) VALUES(:id, :name, :auditId, :nowMs)",
    { id, name, auditId: newAuditId(randomBytes), nowMs },
  );
  return id;
}
