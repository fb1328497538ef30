import { accountById, fromAccount } from "@earshot/query/facets";
import type { PlanNode } from "@earshot/query/plan";
import type { Archive, Position } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { asFields } from "../../platforms/fields.ts";

const pagePosts = 500;
const pageDeadlineMs = 60_000;

/** Visible posts, newest first. */
export async function* archivedUris(
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
      limit: pagePosts,
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
