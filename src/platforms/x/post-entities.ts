import type { Media, Mention } from "../../posts/post.ts";
import { asFields, list, string } from "../fields.ts";
import type { Includes } from "./includes.ts";
import { nonEmptyText, readHttpUrl, readIdText, readUsername } from "./json.ts";

const maxEntities = 200;
const mediaAddress =
  /^https?:\/\/(?:www\.)?(?:x|twitter)\.com\/[^/]+\/status\/\d+\/(?:photo|video)\/\d+$/i;

export type PostEntities = {
  hashtags: readonly string[];
  mentions: readonly Mention[];
  urls: readonly string[];
};

/** Expands links, adds redirects' targets, drops links to the post's own media. */
export function readEntities(value: unknown): PostEntities {
  const { hashtags, mentions, urls } = asFields(value);
  return {
    hashtags: list(hashtags, maxEntities).flatMap((item) => {
      const tag = nonEmptyText(asFields(item).tag, 500)?.replace(/^[#＃]/, "");
      return tag === undefined || tag === "" || /\s/u.test(tag) ? [] : [tag];
    }),
    mentions: mentionsIn(mentions),
    urls: [...new Set(list(urls, maxEntities).flatMap(readLinks))],
  };
}

function mentionsIn(value: unknown): Mention[] {
  const byHandle = new Map<string, Mention>();
  for (const item of list(value, maxEntities)) {
    const { username, id } = asFields(item);
    const name = readUsername(username);
    const key = name?.toLowerCase();
    if (name === null || key === undefined || byHandle.has(key)) continue;
    byHandle.set(key, { username: name, userId: readIdText(id) });
  }
  return [...byHandle.values()];
}

function readLinks(value: unknown): string[] {
  const {
    url,
    expanded_url: expanded,
    unwound_url: unwound,
    media_key: mediaKey,
  } = asFields(value);
  const fullUrl = readHttpUrl(expanded);
  if (typeof mediaKey === "string" || (fullUrl !== null && mediaAddress.test(fullUrl))) return [];
  const links = [fullUrl ?? readHttpUrl(url), readHttpUrl(unwound)];
  return links.filter((link) => link !== null);
}

const maxMedia = 20;

export function readMedia(attachments: unknown, { media }: Includes): Media[] {
  return list(asFields(attachments).media_keys, maxMedia).flatMap((key): Media[] => {
    const medium = typeof key === "string" ? media.get(key) : undefined;
    const type = nonEmptyText(medium?.type, 100);
    if (medium === undefined || type === null || /[\s\p{Cc}]/u.test(type)) return [];
    const url = readHttpUrl(medium.url) ?? bestVariant(medium.variants);
    return [
      {
        type,
        url: url ?? readHttpUrl(medium.preview_image_url),
        alt: string(medium.alt_text, 20_000) || null,
      },
    ];
  });
}

/** The MP4 with the highest bit rate. */
function bestVariant(value: unknown): string | null {
  let bestUrl: string | null = null;
  let bestRate = -1;
  for (const item of list(value, maxMedia)) {
    const { url, content_type: type, bit_rate: rate } = asFields(item);
    const videoUrl = readHttpUrl(url);
    const bits = typeof rate === "number" ? rate : 0;
    if (videoUrl === null || type !== "video/mp4" || bits <= bestRate) continue;
    [bestUrl, bestRate] = [videoUrl, bits];
  }
  return bestUrl;
}
