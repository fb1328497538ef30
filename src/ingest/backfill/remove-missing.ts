import { startSlices } from "../../lib/slices.ts";
import { archivedUris } from "./archived-posts.ts";
import { postUri } from "./author-records.ts";
import type { BackfillRequest } from "./backfill-author.ts";
import type { ChangeWriter } from "./change-writer.ts";
import type { HistoryReport } from "./history.ts";

export const detectsMissing = ({ rev, isComplete }: HistoryReport): boolean =>
  rev !== null && isComplete;

export async function removeMissing(
  did: string,
  history: HistoryReport,
  { archive, clock }: Pick<BackfillRequest, "archive" | "clock">,
  writer: ChangeWriter,
): Promise<void> {
  const { rev, keys } = history;
  if (rev === null || !detectsMissing(history)) return;
  await writer.flush();
  const prefix = postUri(did, "");
  const yieldIfDue = startSlices(clock);
  for await (const uris of archivedUris(archive, clock, did)) {
    for (const uri of uris) {
      await yieldIfDue();
      if (!uri.startsWith(prefix) || keys.has(uri.slice(prefix.length))) continue;
      await writer.add({ kind: "delete", platform: "bluesky", uri, revision: rev });
    }
  }
}
