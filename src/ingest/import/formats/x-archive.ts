import { parseUntrustedJson } from "../../../lib/bounded-json.ts";
import { EarshotError, errorMessage } from "../../../lib/errors.ts";
import { isoText } from "../../../lib/iso-time.ts";
import { asFields, isObject, list, string } from "../../../platforms/fields.ts";
import { readHttpUrl, readIdText, readUsername } from "../../../platforms/x/json.ts";
import type { Mention, Post } from "../../../posts/post.ts";
import { RecordError } from "../record.ts";
import type { ImportSource } from "../source.ts";
import { unreadableImport } from "../source-bytes.ts";
import type { ReadContext, RecordsFormat } from "./format.ts";
import { jsonFormat, readPostFields } from "./json-records.ts";

type Owner = { username: string; userId: string | null; name: string | null };

const maxEntities = 200;

/**
 * Reads an account's zip archive or `data/tweets.js`, which assigns a list to a variable. The
 * author comes from the `account.js` next to it, or from the caller.
 */
export function xArchiveFormat({ author }: { author: string | null }): RecordsFormat {
  return jsonFormat({
    key: author === null ? "x-archive" : `x-archive:${author}`,
    files: /(?:^|\/)tweets?(?:-part\d+)?\.js$/,
    listName: null,
    padding: /^(?:window\.YTD\.tweets?\.part\d+\s*=|;)$/,
    prepare: async (source) => {
      const owner = await readOwner(source, author);
      return (record, context) => readTweet(record, owner, context);
    },
  });
}

async function readOwner(source: ImportSource, author: string | null): Promise<Owner> {
  const file = await source.companion("account.js");
  const owner = file === null ? null : ownerIn(file, source);
  if (owner !== null && (author === null || isSameHandle(owner.username, author))) return owner;
  if (author !== null) return { username: author, userId: null, name: null };
  throw new EarshotError(
    "import_unreadable",
    `cannot read ${source.name}: account.js, which names the author, is missing`,
    {
      status: 400,
      hint: "put the archive's account.js next to it, or add --author HANDLE",
    },
  );
}

const isSameHandle = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function ownerIn(file: Buffer, source: ImportSource): Owner | null {
  try {
    const json = file.subarray(Math.max(0, file.indexOf("[")), file.lastIndexOf("]") + 1);
    const [first] = list(parseUntrustedJson(json), 1);
    const { username, accountId, accountDisplayName } = asFields(asFields(first).account);
    const name = readUsername(username);
    if (name === null) return null;
    return {
      username: name,
      userId: readIdText(accountId),
      name: string(accountDisplayName, 1_000) || null,
    };
  } catch (error) {
    throw unreadableImport(source.name, new Error(`account.js: ${errorMessage(error)}`));
  }
}

function readTweet(record: unknown, owner: Owner, context: ReadContext): Post {
  const wrappedTweet = asFields(record).tweet;
  const tweet = isObject(wrappedTweet) ? wrappedTweet : record;
  if (!isObject(tweet)) throw new RecordError('expected an object {"tweet": {…}}');
  const text = tweet.full_text ?? tweet.text;
  const repostedUsername =
    typeof text === "string" ? (/^RT @(\w{1,15}):/.exec(text)?.[1] ?? null) : null;
  const entities = asFields(tweet.entities);
  const links = readLinks(entities.urls);
  const post = readPostFields(
    {
      id: tweet.id_str ?? tweet.id,
      author: owner.username,
      author_id: owner.userId,
      author_name: owner.name,
      created_at: readIsoTime(tweet.created_at),
      text,
      lang: tweet.lang,
      likes: readCountText(tweet.favorite_count),
      reposts: readCountText(tweet.retweet_count),
      in_reply_to_id: tweet.in_reply_to_status_id_str,
      in_reply_to: tweet.in_reply_to_screen_name,
      is_repost: repostedUsername !== null,
      quote_of_id:
        repostedUsername === null ? (tweet.quoted_status_id_str ?? quotedIn(links)) : null,
      hashtags: readTags(entities.hashtags),
      urls: links.map(({ fullUrl }) => fullUrl),
      media: readMedia(asFields(tweet.extended_entities).media ?? entities.media),
      ...readPosition(tweet.coordinates),
      sensitive: tweet.possibly_sensitive,
      source: string(tweet.source, 2_000)?.replaceAll(/<[^<>]*>/g, ""),
    },
    "x",
    context,
  );
  const mentions = readMentions(entities.user_mentions, post.mentions);
  const shortLinks = new Set(links.map(({ shortUrl }) => shortUrl));
  return {
    ...post,
    mentions,
    urls: post.urls.filter((url) => !shortLinks.has(url)),
    reposted:
      repostedUsername === null
        ? null
        : { id: null, uri: null, ...findAccount(repostedUsername, mentions) },
  };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const timePattern =
  /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d) (\d{4})$/;

function readIsoTime(value: unknown): unknown {
  const [, month = "", day, time, hours, minutes, year] =
    typeof value === "string" ? (timePattern.exec(value) ?? []) : [];
  const number = months.indexOf(month) + 1;
  if (number === 0) return value;
  const ms = Date.parse(
    `${year}-${String(number).padStart(2, "0")}-${day}T${time}${hours}:${minutes}`,
  );
  return Number.isNaN(ms) ? value : isoText(ms);
}

const readCountText = (value: unknown): unknown =>
  typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;

type Link = { shortUrl: string | null; fullUrl: string };

function readLinks(value: unknown): Link[] {
  return list(value, maxEntities).flatMap((item): Link[] => {
    const { url, expanded_url: expandedUrl } = asFields(item);
    const fullUrl = readHttpUrl(expandedUrl) ?? readHttpUrl(url);
    return fullUrl === null
      ? []
      : [{ shortUrl: fullUrl === url ? null : readHttpUrl(url), fullUrl }];
  });
}

/** X shows a post that links to another as a quote. */
function quotedIn(links: readonly Link[]): string | null {
  const pattern =
    /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/\w+\/status\/(\d+)(?:[?#]|$)/i;
  const ids = links.flatMap(({ fullUrl }) => readIdText(pattern.exec(fullUrl)?.[1]) ?? []);
  return ids.at(-1) ?? null;
}

function readTags(value: unknown): string[] {
  return list(value, maxEntities).flatMap((item) => {
    const tag = string(asFields(item).text, 500);
    return tag === null || !/^[^\s\p{Cc}]+$/u.test(tag) ? [] : [tag];
  });
}

function readMentions(value: unknown, textMentions: readonly Mention[]): Mention[] {
  const listedMentions = list(value, maxEntities).flatMap((item): Mention[] => {
    const { screen_name: name, id_str: id } = asFields(item);
    const username = readUsername(name);
    return username === null ? [] : [{ username, userId: readIdText(id) }];
  });
  const byHandle = new Map<string, Mention>();
  for (const mention of [...listedMentions, ...textMentions]) {
    const key = mention.username.toLowerCase();
    if (!byHandle.has(key)) byHandle.set(key, mention);
  }
  return [...byHandle.values()];
}

function findAccount(username: string, mentions: readonly Mention[]): Mention {
  return (
    mentions.find((mention) => isSameHandle(mention.username, username)) ?? {
      username,
      userId: null,
    }
  );
}

function readMedia(value: unknown): unknown[] {
  return list(value, 20).flatMap((item) => {
    const { type, media_url_https: url, ext_alt_text: alt, video_info: video } = asFields(item);
    if (typeof type !== "string") return [];
    const fileUrl = bestVariant(asFields(video).variants) ?? readHttpUrl(url);
    return [{ type, url: fileUrl, alt: string(alt, 20_000) }];
  });
}

function bestVariant(value: unknown): string | null {
  const files = list(value, 50).flatMap((item) => {
    const { url, content_type: type, bitrate } = asFields(item);
    const fileUrl = type === "video/mp4" ? readHttpUrl(url) : null;
    return fileUrl === null ? [] : [{ url: fileUrl, rate: Number(bitrate) || 0 }];
  });
  return files.toSorted((a, b) => b.rate - a.rate)[0]?.url ?? null;
}

function readPosition(value: unknown): { lat?: number; lon?: number } {
  const [lon, lat] = list(asFields(value).coordinates, 2).map(Number);
  if (lat === undefined || lon === undefined) return {};
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : {};
}
