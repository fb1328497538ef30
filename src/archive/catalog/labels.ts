import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { ArchiveChange } from "../archive.ts";

type Label = Extract<ArchiveChange, { kind: "label" }>;

export type LabelSubject = { platform: Platform; subject: string };

export const isAccountId = (subject: string): boolean =>
  subject.startsWith("did:") || !/^[a-z][a-z0-9+.-]*:/i.test(subject);

export type CatalogLabels = {
  put(label: Label): boolean;
  hasAny(platform: Platform): boolean;
  labelValues(platform: Platform, subject: string): string[];
  expire(nowMs: number): LabelSubject[];
};

export function openCatalogLabels(catalog: DatabaseSync): CatalogLabels {
  const insertLabel = catalog.prepare(
    `INSERT INTO label VALUES(?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       created_ms = excluded.created_ms, negated = excluded.negated, expires_ms = excluded.expires_ms
     WHERE excluded.created_ms >= created_ms`,
  );
  const selectLabels = catalog.prepare(
    `SELECT DISTINCT value FROM label WHERE platform = ? AND subject = ? AND negated = 0
     ORDER BY value`,
  );
  const selectAnyLabel = catalog.prepare("SELECT 1 FROM label WHERE platform = ? LIMIT 1");
  const updateExpired = catalog.prepare(
    `UPDATE label SET negated = 1, expires_ms = NULL WHERE expires_ms <= ?
     RETURNING platform, subject`,
  );
  return {
    put: ({ platform, subject, source, value, createdMs, negated, expiresMs }) =>
      insertLabel.run(platform, subject, source, value, createdMs, negated ? 1 : 0, expiresMs)
        .changes > 0,
    hasAny: (platform) => selectAnyLabel.get(platform) !== undefined,
    labelValues: (platform, subject) =>
      selectLabels.all(platform, subject).map((row) => String(row.value)),
    expire: (nowMs) =>
      updateExpired
        .all(nowMs)
        .map((row) => ({ platform: row.platform as Platform, subject: String(row.subject) })),
  };
}
