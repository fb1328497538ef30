import type { ServerProcess } from "./server-process.ts";

/** A record of the API as far as tests read it. */
export type FoundPost = {
  ID: string;
  Content: string;
  Metadata: {
    uri: string;
    created_at: string;
    username: string;
    author: string | null;
    user_id: string;
    langs: string[];
    in_reply_to: { uri: string } | null;
    quoted: { uri: string } | null;
    hashtags: string[];
    labels: string[];
    origin: string;
    public_metrics: {
      like_count: number | null;
      retweet_count: number | null;
      reply_count: number | null;
      quote_count: number | null;
    };
  };
};

/** A query that every post matches. */
export const everything = "-nosuchwordanywhere";

/** All posts that match, newest first, by the public API, page by page to the end. */
export async function foundPosts(
  server: Pick<ServerProcess, "base" | "key">,
  query: string,
  pageLength = 500,
): Promise<FoundPost[]> {
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
  const path = `${server.base}/v1/search/live/social`;
  const found: FoundPost[] = [];
  for (let cursor: string | null = null; ; ) {
    const body = {
      type: "social",
      arguments: {
        type: "searchbyfullarchive",
        query,
        max_results: pageLength,
        ...(cursor === null ? {} : { next_cursor: cursor }),
      },
    };
    const taken = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const { uuid, error } = (await taken.json()) as { uuid: string; error: string };
    if (taken.status !== 202) throw new Error(`${query}: ${taken.status} ${error}`);
    const answer = await fetch(`${path}/result/${uuid}?wait=30`, { headers });
    if (answer.status !== 200) {
      throw new Error(`${query}: ${answer.status} ${await answer.text()}`);
    }
    found.push(...((await answer.json()) as FoundPost[]));
    cursor = answer.headers.get("x-next-cursor");
    if (cursor === null) return found;
  }
}
