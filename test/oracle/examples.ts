import { xPostNumber } from "./analyze.ts";
import { findEntitySpans } from "./entities.ts";
import { decodeReferences } from "./text.ts";
import type { OraclePost, PostReference } from "./types.ts";

export type ImportRecord = {
  platform?: string;
  id?: string;
  uri?: string;
  url?: string;
  author?: string;
  author_id?: string;
  author_name?: string;
  author_verified?: boolean;
  created_at?: string;
  text?: string;
  lang?: string;
  likes?: number;
  reposts?: number;
  replies?: number;
  quotes?: number;
  in_reply_to_id?: string;
  in_reply_to?: string;
  conversation_id?: string;
  is_repost?: boolean;
  repost_of_id?: string;
  is_quote?: boolean;
  quote_of_id?: string;
  hashtags?: string[];
  urls?: string[];
  media?: { type: string; url?: string; alt?: string }[];
  lat?: number;
  lon?: number;
  sensitive?: boolean;
  source?: string;
  labels?: string[];
};

export type Example = {
  query: string;
  line: number;
  posts: { found: boolean; record: ImportRecord }[];
};

const snowflakeEpochMs = 1288834974657;
let createdCount = 0;

function withoutDuplicates(values: readonly string[]): string[] {
  const seen = new Map(values.map((value) => [value.toLowerCase(), value]));
  return [...seen.values()];
}

function reference(platform: string, id: string | undefined, username?: string): PostReference {
  const isNumber = id !== undefined && platform === "x" && /^\d+$/.test(id);
  const uri = isNumber ? `https://x.com/i/status/${id}` : (id ?? null);
  return { id: isNumber ? id : null, uri, username: username ?? null, user_id: null };
}

function repliedTo(
  record: ImportRecord,
  platform: string,
  text: string,
  mentions: readonly string[],
): PostReference | null {
  const { in_reply_to_id, in_reply_to } = record;
  if (in_reply_to_id || in_reply_to) {
    return reference(platform, in_reply_to_id, in_reply_to?.replace(/^@/, ""));
  }
  const first = mentions[0];
  if (platform !== "x" || !first || !/^[@＠]/.test(text)) return null;
  return text.slice(1).startsWith(first) ? reference(platform, undefined, first) : null;
}

/** Fills in the page's defaults. */
export function toOraclePost(record: ImportRecord): OraclePost {
  const { platform = "x", text = "", created_at = "2026-01-01T12:00:00Z" } = record;
  const timeMs = Date.parse(created_at);
  createdCount += 1;
  const number = record.id ?? (platform === "x" ? xPostNumber(record.url ?? "") : undefined);
  const serial = (BigInt(Math.max(0, timeMs - snowflakeEpochMs)) << 22n) + BigInt(createdCount);
  const id = platform === "x" ? (number ?? String(serial)) : String(serial);
  const spans = findEntitySpans(decodeReferences(text), platform);
  const spanValues = (kind: string): string[] =>
    spans.filter((span) => span.kind === kind).map((span) => span.value);
  const links = spanValues("link").map((url) => (/^https?:/i.test(url) ? url : `https://${url}`));
  const mentions = withoutDuplicates(spanValues("mention"));
  const parent = repliedTo(record, platform, text, spanValues("mention"));
  const xUri = number ? `https://x.com/i/status/${number}` : undefined;
  return {
    ID: id,
    Content: text,
    Metadata: {
      platform,
      url: record.url ?? null,
      uri:
        (platform === "x" ? xUri : undefined) ?? record.uri ?? `import:${platform}:${createdCount}`,
      created_at,
      username: (record.author ?? "someone").replace(/^@/, ""),
      author: record.author_name ?? null,
      author_verified: record.author_verified ?? null,
      user_id: record.author_id ?? null,
      lang: record.lang ?? null,
      langs: record.lang ? [record.lang] : [],
      lang_detected: false,
      conversation_id: record.conversation_id ?? null,
      in_reply_to: parent,
      quoted: record.quote_of_id ? reference(platform, record.quote_of_id) : null,
      reposted: record.repost_of_id ? reference(platform, record.repost_of_id) : null,
      is_reply: parent !== null,
      is_quote: record.is_quote ?? record.quote_of_id !== undefined,
      is_retweet: record.is_repost ?? record.repost_of_id !== undefined,
      hashtags: withoutDuplicates([...(record.hashtags ?? []), ...spanValues("hashtag")]),
      mentions,
      urls: [...new Set([...(record.urls ?? []), ...links])],
      media: record.media ?? [],
      geo:
        record.lat !== undefined && record.lon !== undefined
          ? { lat: record.lat, lon: record.lon }
          : null,
      labels: record.labels ?? [],
      possibly_sensitive: record.sensitive ?? null,
      source: record.source ?? null,
      public_metrics: {
        like_count: record.likes ?? null,
        retweet_count: record.reposts ?? null,
        reply_count: record.replies ?? null,
        quote_count: record.quotes ?? null,
      },
    },
    mention_ids: mentions.map(() => null),
    time_ms: timeMs,
  };
}

export function readExamples(page: string): Example[] {
  const lines = page.split("\n");
  const examples: Example[] = [];
  let openExample: Example | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "```example") {
      openExample = { query: "", line: index + 1, posts: [] };
      examples.push(openExample);
      continue;
    }
    if (line.trim() === "```") openExample = undefined;
    if (!openExample) continue;
    const [, sign, json] = /^([+-]) (\{.*\})\s*$/.exec(line) ?? [];
    if (json) openExample.posts.push({ found: sign === "+", record: JSON.parse(json) });
    else if (openExample.query === "") openExample.query = line;
    else throw new Error(`line ${index + 1} of the page is not a post: ${line}`);
  }
  return examples;
}
