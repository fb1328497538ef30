import type { Call, CallResponse } from "./call.ts";
import { matchesClause } from "./evaluate.ts";
import { postsPage } from "./paging.ts";
import { checkParameters, numberIn, postExpansions, postParameters, timeIn } from "./parameters.ts";
import { badParameter } from "./problems.ts";
import { readQuery } from "./query-syntax.ts";
import { visiblePosts } from "./visible.ts";

type SearchBounds = { maxResults: number; maxCharacters: number; reachMs: number | null };

export function search(
  call: Call,
  { maxResults, maxCharacters, reachMs }: SearchBounds,
): CallResponse {
  const { query, world, nowMs, refusedOperators } = call;
  const names = [
    "query",
    "max_results",
    "next_token",
    "pagination_token",
    "start_time",
    "end_time",
    "since_id",
    "until_id",
    "sort_order",
  ];
  checkParameters(query, [...names, ...postParameters], postExpansions);
  const text = query.get("query") ?? "";
  if (text.length === 0 || text.length > maxCharacters) {
    throw badParameter(
      "query",
      text,
      `query length must be between 1 and ${maxCharacters} characters`,
    );
  }
  const clause = readQuery(text, refusedOperators);
  const earliestMs = reachMs === null ? Date.UTC(2006, 2, 21) : nowMs - reachMs;
  const startMs = timeIn(query, "start_time");
  const endMs = timeIn(query, "end_time");
  if (startMs !== null && startMs < earliestMs) {
    throw badParameter(
      "start_time",
      query.get("start_time") ?? "",
      `Invalid 'start_time':'${query.get("start_time")}'. 'start_time' must be on or after ${new Date(earliestMs).toISOString()}`,
    );
  }
  if (endMs !== null && endMs > nowMs - 10_000) {
    throw badParameter(
      "end_time",
      query.get("end_time") ?? "",
      "Invalid 'end_time'. 'end_time' must be a minimum of 10 seconds prior to the request time.",
    );
  }
  if (startMs !== null && endMs !== null && startMs >= endMs) {
    throw badParameter(
      "start_time",
      query.get("start_time") ?? "",
      "'start_time' must be before 'end_time'",
    );
  }
  const fromMs = startMs ?? (reachMs === null ? nowMs - 30 * 86_400_000 : earliestMs);
  const toMs = endMs ?? nowMs - 30_000;
  const users = new Map(world.users.map((user) => [user.id, user]));
  const posts = new Map(world.posts.map((post) => [post.id, post]));
  const matches = visiblePosts(call).filter(
    (post) =>
      post.createdMs >= fromMs &&
      post.createdMs < toMs &&
      matchesClause(clause, post, users, posts),
  );
  return postsPage(call, matches, numberIn(query, "max_results", [10, maxResults], 10));
}
