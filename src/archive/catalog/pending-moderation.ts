import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { LabelSubject } from "./labels.ts";

export type PendingModeration = {
  add(subject: LabelSubject): boolean;
  all(): LabelSubject[];
  clear(): void;
};

export function pendingModerationOf(catalog: DatabaseSync): PendingModeration {
  const add = catalog.prepare("INSERT OR IGNORE INTO pending_moderation VALUES(?, ?)");
  const all = catalog.prepare("SELECT platform, subject FROM pending_moderation");
  const clear = catalog.prepare("DELETE FROM pending_moderation");
  return {
    add: ({ platform, subject }) => add.run(platform, subject).changes > 0,
    all: () =>
      all
        .all()
        .map((row) => ({ platform: row.platform as Platform, subject: String(row.subject) })),
    clear: () => {
      clear.run();
    },
  };
}
