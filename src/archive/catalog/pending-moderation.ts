import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { LabelSubject } from "./labels.ts";

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
