import type { Session } from "../session.ts";
import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { ask } from "./ask.ts";
import { postParameters } from "./fields.ts";
import { pageOfPosts, readPosts } from "./post-page.ts";

/** The two searches of X: of the last seven days, and of everything. */
export const searches = {
  recent: {
    path: "/2/tweets/search/recent",
    mostResults: 100,
    mostCharacters: 512,
  },
  all: {
    path: "/2/tweets/search/all",
    mostResults: 500,
    mostCharacters: 1_024,
  },
} as const;
export type SearchName = keyof typeof searches;

/** A page of an answer is never smaller. */
const leastResults = 10;

/** How far back the search of recent posts looks; a quarter of an hour is left for a question that waits. */
export const recentReachMs = 7 * 86_400_000 - 900_000;

/** What one of them is asked: a query in X's own operators, the window in Unix milliseconds, and where to go on. */
export type SearchRequest = {
  search: SearchName;
  query: string;
  fromMs: number | null;
  toMs: number | null;
  token: string | null;
  limit: number;
};

export async function requestSearch(
  { search, query, fromMs, toMs, token, limit }: SearchRequest,
  session: Session,
): Promise<UpstreamPage> {
  const { path, mostResults } = searches[search];
  const size = Math.min(Math.max(limit, leastResults), mostResults);
  const told = await ask(session, {
    path,
    query: {
      query,
      max_results: size,
      sort_order: "recency",
      start_time: fromMs === null ? undefined : timeText(fromMs),
      end_time: toMs === null ? undefined : timeText(toMs),
      next_token: token ?? undefined,
      ...postParameters,
    },
    bucket: `GET ${path}`,
    bill: { postReads: size, userReads: size },
    counted: "posts",
    scopes: ["tweet.read", "users.read"],
  });
  if (told.isAbsent) return absentPage;
  const { posts, leftOut } = readPosts(told);
  return pageOfPosts(posts, leftOut, {
    next: told.next,
    nowMs: session.nowMs,
    remarks: told.remarks,
  });
}

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
