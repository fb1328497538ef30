import type { ServerProcess } from "../service/server-process.ts";

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

export const matchAllQuery = "-nosuchwordanywhere";

/** Searches over HTTP and fetches all pages, newest posts first. */
export async function foundPosts(
  server: ServerAccess,
  query: string,
  pageSize = 500,
): Promise<FoundPost[]> {
  const found: FoundPost[] = [];
  for (let cursor: string | null = null; ; ) {
    const cursorArgs = cursor === null ? {} : { next_cursor: cursor };
    const uuid = await submit(server, { query, max_results: pageSize, ...cursorArgs });
    const response = await fetch(`${socialUrl(server)}/result/${uuid}?wait=30`, {
      headers: headers(server),
    });
    if (response.status !== 200) {
      throw new Error(`${query}: ${response.status} ${await response.text()}`);
    }
    found.push(...((await response.json()) as FoundPost[]));
    cursor = response.headers.get("x-next-cursor");
    if (cursor === null) return found;
  }
}

/** Coverage gaps, in Unix milliseconds. */
export async function fetchGaps(
  server: ServerAccess,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<{ fromMs: number; toMs: number }[]> {
  const uuid = await submit(server, {
    query: matchAllQuery,
    start_time: new Date(fromMs).toISOString(),
    end_time: new Date(toMs).toISOString(),
  });
  const response = await fetch(`${socialUrl(server)}/status/${uuid}?wait=30`, {
    headers: headers(server),
  });
  const { coverage } = (await response.json()) as {
    coverage: { gaps: { from: string | null; to: string }[] };
  };
  return coverage.gaps.map(({ from, to }) => ({
    fromMs: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    toMs: Date.parse(to),
  }));
}

type ServerAccess = Pick<ServerProcess, "base" | "key">;

const socialUrl = ({ base }: ServerAccess): string => `${base}/v1/search/live/social`;

const headers = ({ key }: ServerAccess): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
});

async function submit(server: ServerAccess, search: object): Promise<string> {
  const body = { type: "social", arguments: { type: "searchbyfullarchive", ...search } };
  const response = await fetch(socialUrl(server), {
    method: "POST",
    headers: headers(server),
    body: JSON.stringify(body),
  });
  const { uuid, error } = (await response.json()) as { uuid: string; error: string };
  if (response.status !== 202)
    throw new Error(`${JSON.stringify(search)}: ${response.status} ${error}`);
  return uuid;
}
