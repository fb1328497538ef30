import type { DatabaseSync } from "node:sqlite";
import type { Span } from "../../lib/spans.ts";
import type { Platform } from "../../posts/post.ts";

/** Requires a transaction. */
export function removePostCoverage(
  catalog: DatabaseSync,
  platform: Platform,
  { fromMs, toMs }: Span,
): void {
  const from = fromMs ?? Number.MIN_SAFE_INTEGER;
  const removed = catalog
    .prepare(
      `DELETE FROM interval WHERE platform = ? AND collection = 'posts' AND from_ms < ? AND to_ms > ?
       RETURNING account, source, from_ms, to_ms`,
    )
    .all(platform, toMs, from);
  const insertInterval = catalog.prepare("INSERT INTO interval VALUES(?, 'posts', ?, ?, ?, ?)");
  for (const { account, source, from_ms, to_ms } of removed) {
    const key = [platform, account ?? "", source ?? ""];
    if (Number(from_ms) < from) insertInterval.run(...key, from_ms ?? 0, from);
    if (Number(to_ms) > toMs) insertInterval.run(...key, toMs, to_ms ?? 0);
  }
}
