import { accountById, fromAccount } from "@earshot/query/facets";
import type { PlanNode } from "@earshot/query/plan";
import type { Archive, Position } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { startSlices } from "../../lib/slices.ts";
import { asFields } from "../../platforms/fields.ts";
import { postUri } from "./author-records.ts";
import type { BackfillRequest } from "./backfill-author.ts";
import type { ChangeWriter } from "./change-writer.ts";
import type { HistoryReport } from "./history.ts";

export const canDetectDeletions = ({ rev, isComplete }: HistoryReport): boolean =>
  rev !== null && isComplete;

export async function removeDeletedPosts(
  did: string,
  history: HistoryReport,
  { archive, clock }: Pick<BackfillRequest, "archive" | "clock">,
  writer: ChangeWriter,
): Promise<void> {
  const { rev, keys } = history;
  if (rev === null || !canDetectDeletions(history)) return;
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

const postsPerPage = 500;
const pageDeadlineMs = 60_000;

/** The URIs of visible posts, newest first. */
async function* archivedUris(
  archive: Pick<Archive, "search" | "records">,
  clock: Pick<Clock, "now">,
  did: string,
): AsyncGenerator<readonly string[]> {
  const plan: PlanNode = {
    kind: "terms",
    elements: [{ kind: "token", token: fromAccount(accountById("bluesky", did)) }],
  };
  let after: Position | null = null;
  do {
    const page = await archive.search({
      plan,
      platforms: ["bluesky"],
      fromMs: null,
      toMs: null,
      after,
      limit: postsPerPage,
      deadlineMs: clock.now() + pageDeadlineMs,
    });
    const { records } = await archive.records(page.positions);
    yield records.flatMap(recordUri);
    after = page.next;
  } while (after !== null);
}

function recordUri(record: string): string[] {
  const { uri } = asFields(asFields(JSON.parse(record)).Metadata);
  return typeof uri === "string" ? [uri] : [];
}
