import type { ShownPost } from "../../components/post.tsx";
import { platformNames } from "../../platforms.ts";
import type { PostRecord } from "./answer.ts";
import { type HighlightTerms, markMatches } from "./marks.ts";

export function shownPost(record: PostRecord, terms: HighlightTerms): ShownPost {
  const { ID, Content, Metadata } = record;
  const platform = Metadata?.platform ?? null;
  const metrics = Metadata?.public_metrics ?? {};
  const isWithheld = Metadata?.kind === "ids";
  return {
    id: ID,
    platform: platform === null ? null : { icon: platform, name: platformNames[platform] },
    author: textOrNull(Metadata?.author),
    handle: textOrNull(Metadata?.username),
    at: timeOrNull(Metadata?.created_at),
    parts: isWithheld ? null : markMatches(Content, terms, platform),
    isSample: isReserved(Metadata?.username ?? ""),
    metrics: (
      [
        { icon: "reply", name: "Replies", count: metrics.reply_count },
        { icon: "repeat", name: "Reposts", count: metrics.retweet_count },
        { icon: "heart", name: "Likes", count: metrics.like_count },
      ] as const
    ).flatMap(({ icon, name, count }) => (count == null ? [] : [{ icon, name, count }])),
    url: urlOrNull(Metadata?.url),
    json: JSON.stringify(Metadata, null, 2),
  };
}

/** Domains reserved by RFC 2606, which no one can register. */
const isReserved = (username: string): boolean => /[@.]example\.(?:com|org|net)$/.test(username);

const textOrNull = (text: string | null | undefined): string | null => text || null;

const timeOrNull = (time: string | null | undefined): string | null =>
  time == null || Number.isNaN(Date.parse(time)) ? null : time;

/** Only http and https addresses become links. */
function urlOrNull(address: string | null | undefined): string | null {
  const url = address == null ? null : URL.parse(address);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
