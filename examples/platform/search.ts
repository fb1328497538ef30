import type { QueryNode } from "@earshot/query/tree";
import { asFields, requireList } from "../fields.ts";
import type { Session } from "../session.ts";
import { onlyRoute, type SearchCall, type UpstreamPage, type UpstreamSearch } from "../upstream.ts";
import { emptyPage, itemsPage } from "../upstream-page.ts";
import { readHit } from "./post.ts";

const name = "Hacker News";

export const hackerNewsSearch: UpstreamSearch = {
  routes: () => onlyRoute,
  // The API returns only its newest 1,000 hits.
  isExhaustive: false,
  page: async (call, session) =>
    matchesNothing(call.tree) ? null : await searchPage(call, session),
};

async function searchPage(call: SearchCall, session: Session): Promise<UpstreamPage> {
  const page = Number(call.cursor ?? "0");
  const times = [
    `created_at_i<${Math.ceil(call.toMs / 1_000)}`,
    ...(call.fromMs === null ? [] : [`created_at_i>=${Math.floor(call.fromMs / 1_000)}`]),
  ];
  const query = {
    query: requiredText(call.tree).join(" "),
    tags: "(story,comment)",
    numericFilters: times.join(","),
    advancedSyntax: true,
    typoTolerance: false,
    hitsPerPage: call.limit,
    page,
  };
  const { json } = await session.get({ path: "/api/v1/search_by_date", query, bucket: "search" });
  const { hits, nbPages } = asFields(json);
  const sent = requireList(hits, call.limit, name).map(readHit);
  const next = Number(nbPages) > page + 1 ? String(page + 1) : null;
  return itemsPage(sent, { name, next, nowMs: session.nowMs });
}

export async function itemById(id: string | null, session: Session): Promise<UpstreamPage> {
  if (id === null || !/^\d{1,12}$/.test(id)) return emptyPage;
  const query = { tags: `(story_${id},comment_${id})`, hitsPerPage: 1 };
  const { json } = await session.get({ path: "/api/v1/search", query, bucket: "search" });
  const sent = requireList(asFields(json).hits, 1, name).map(readHit);
  return itemsPage(sent, { name, next: null, nowMs: session.nowMs });
}

/**
 * Text that every match contains. The matcher applies the rest of the query, which only narrows the
 * results.
 */
function requiredText(node: QueryNode): readonly string[] {
  switch (node.kind) {
    case "and":
      return node.children.flatMap(requiredText);
    case "word":
      return [node.text];
    case "phrase":
      return [`"${node.text}"`];
    default:
      return [];
  }
}

const matchesNothing = (node: QueryNode): boolean =>
  node.kind === "and"
    ? node.children.some(matchesNothing)
    : node.kind === "platform" && node.platform !== "hackernews";
