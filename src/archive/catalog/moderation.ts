import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { ArchiveChange, FetchedName } from "../archive.ts";
import type { Moderation } from "../segments/segment-writer.ts";
import type { CatalogAccounts } from "./accounts.ts";

const hidingLabels = new Set(["!takedown", "!hide", "!suspend"]);
const noUnauthenticated = "!no-unauthenticated";

type PostName = { platform: Platform; uri: string; userId: string | null };

/**
 * Hides posts of accounts that are inactive or exclude unauthenticated readers, which all archive
 * readers are, and posts that a label on them or their account hides.
 */
export function findModeration(
  { platform, uri, userId }: PostName,
  accounts: CatalogAccounts,
  labels: CatalogLabels,
): Moderation {
  const account = userId === null ? null : accounts.read(platform, userId);
  const postLabels = labels.labelValues(platform, uri);
  const accountLabels = userId === null ? [] : labels.labelValues(platform, userId);
  const allLabels = [...new Set([...postLabels, ...accountLabels])];
  const isAccountHidden =
    account !== null && (account.status !== "active" || account.labels.includes(noUnauthenticated));
  return {
    hidden:
      isAccountHidden ||
      allLabels.some((value) => hidingLabels.has(value)) ||
      accountLabels.includes(noUnauthenticated),
    labels: allLabels.filter((value) => !value.startsWith("!")),
  };
}

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

export type PendingModeration = {
  add(subject: LabelSubject): boolean;
  all(): LabelSubject[];
  clear(): void;
};

export function openPendingModeration(catalog: DatabaseSync): PendingModeration {
  const insertSubject = catalog.prepare("INSERT OR IGNORE INTO pending_moderation VALUES(?, ?)");
  const selectSubjects = catalog.prepare("SELECT platform, subject FROM pending_moderation");
  const deleteSubjects = catalog.prepare("DELETE FROM pending_moderation");
  return {
    add: ({ platform, subject }) => insertSubject.run(platform, subject).changes > 0,
    all: () =>
      selectSubjects
        .all()
        .map((row) => ({ platform: row.platform as Platform, subject: String(row.subject) })),
    clear: () => {
      deleteSubjects.run();
    },
  };
}

export function createWithheldCheck(
  catalog: DatabaseSync,
  accounts: CatalogAccounts,
  labels: CatalogLabels,
): (names: readonly FetchedName[]) => boolean[] {
  const selectTombstone = catalog.prepare("SELECT 1 FROM tombstone WHERE platform = ? AND uri = ?");
  const isWithheld = ({ platform, uri, userId }: FetchedName): boolean => {
    if (uri !== null && selectTombstone.get(platform, uri) !== undefined) return true;
    const account = userId?.toLowerCase() ?? null;
    return findModeration({ platform, uri: uri ?? "", userId: account }, accounts, labels).hidden;
  };
  return (names) => names.map(isWithheld);
}
