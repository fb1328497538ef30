import type { Database } from "../db/open.ts";
import { type RandomBytes, randomBase62 } from "../lib/base62.ts";
import { newAuditId } from "./audit.ts";

const accountIdLength = 12;

/** A non-null `name` is unique. The caller writes the audit entry. */
export function insertAccount(
  database: Database,
  { name, nowMs }: { name: string | null; nowMs: number },
  randomBytes: RandomBytes,
): string {
  const id = randomBase62(accountIdLength, randomBytes);
  database.run(
    "INSERT INTO account(id, name, audit_id, created_ms) VALUES(:id, :name, :auditId, :nowMs)",
    { id, name, auditId: newAuditId(randomBytes), nowMs },
  );
  return id;
}
