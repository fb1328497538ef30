import { isoTime } from "../../lib/iso-time.ts";
import type { Platform } from "../../posts/post.ts";
import { type Person, people } from "./people.ts";
import { storyLines } from "./posts.ts";
import { seriesLines } from "./series.ts";

export type CorpusRecord = Readonly<Record<string, unknown>> & {
  author: string;
  created_at: string;
  text: string;
};

type Line = {
  ageMs: number;
  person: Person;
  lang: string;
  options: ReadonlyMap<string, string>;
  text: string;
};

type DatedLine = Line & { id: bigint; uri: string | null; createdMs: number };

/** Deterministic, except that times count back from `nowMs`. */
export function makeCorpus(nowMs: number): ReadonlyMap<Platform, readonly CorpusRecord[]> {
  const lines = [...storyLines.trim().split("\n"), ...seriesLines()].map(parseLine);
  const datedLines = lines.map((line, index) => dateLine(line, index, nowMs));
  const byKey = new Map(datedLines.flatMap((post) => postKey(post)));
  const corpus = new Map<Platform, CorpusRecord[]>();
  for (const post of datedLines) {
    const records = corpus.get(post.person.platform) ?? [];
    records.push(toRecord(post, byKey));
    corpus.set(post.person.platform, records);
  }
  return corpus;
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, y: 365 * 86_400_000 };

const linePattern =
  /^(?<count>\d+)(?<unit>[mhdy]) (?<person>\w+) (?<lang>\w+)(?<options>[^|]*)\| (?<text>.*)$/;

function parseLine(line: string): Line {
  const parts = linePattern.exec(line)?.groups;
  const person = people[parts?.person ?? ""];
  const unit = parts?.unit;
  if (parts === undefined || person === undefined || !isUnit(unit)) {
    throw new Error(`invalid line of the demo corpus: ${line}`);
  }
  const options = (parts.options ?? "").trim().split(" ").filter(Boolean);
  return {
    ageMs: Number(parts.count) * unitMs[unit],
    person,
    lang: parts.lang ?? "und",
    options: new Map(options.map(splitOption)),
    text: parts.text ?? "",
  };
}

function isUnit(unit: string | undefined): unit is keyof typeof unitMs {
  return unit !== undefined && unit in unitMs;
}

function splitOption(option: string): [string, string] {
  const index = option.indexOf("=");
  return index < 0 ? [option, ""] : [option.slice(0, index), option.slice(index + 1)];
}

/** Gives posts of the same age different times. */
function dateLine(line: Line, index: number, nowMs: number): DatedLine {
  const createdMs = nowMs - line.ageMs - index * 37;
  const id = computeNativeId(line.person.platform, createdMs, index);
  return { ...line, createdMs, id, uri: makeUri(line.person, id) };
}

const xEpochMs = 1_288_834_974_657;

function computeNativeId(platform: Platform, ms: number, index: number): bigint {
  if (platform === "x") return (BigInt(ms - xEpochMs) << 22n) | BigInt(index);
  if (platform === "mastodon") return (BigInt(ms) << 16n) | BigInt(index);
  return (BigInt(ms) * 1000n) << 10n;
}

function makeUri(person: Person, id: bigint): string | null {
  if (person.platform === "x") return null;
  if (person.platform === "mastodon") return `${person.id}/statuses/${id}`;
  return `at://${person.id}/app.bsky.feed.post/${recordKey(id)}`;
}

/** Thirteen sortable base-32 digits. */
function recordKey(tid: bigint): string {
  const digits = "234567abcdefghijklmnopqrstuvwxyz";
  return Array.from({ length: 13 }, (_, index) =>
    digits.charAt(Number((tid >> BigInt(60 - index * 5)) & 31n)),
  ).join("");
}

function postKey(post: DatedLine): [string, DatedLine][] {
  const key = post.options.get("key");
  return key === undefined ? [] : [[key, post]];
}

const coordinates: Readonly<Record<string, { lat: number; lon: number }>> = {
  town: { lat: 62.104, lon: -7.411 },
  harbour: { lat: 62.098, lon: -7.405 },
  market: { lat: 62.106, lon: -7.418 },
  skerry: { lat: 62.31, lon: -7.86 },
};

function toRecord(post: DatedLine, byKey: ReadonlyMap<string, DatedLine>): CorpusRecord {
  const option = (name: string) => post.options.get(name);
  const relatedLine = (name: string) => byKey.get(option(name) ?? "");
  const parent = relatedLine("reply");
  const quotedLine = relatedLine("quote");
  const original = relatedLine("repost");
  const link = option("link") ?? original?.options.get("link");
  const text = original ? `RT @${original.person.handle}: ${postText(original)}` : postText(post);
  return {
    ...(post.person.platform === "x" ? { id: String(post.id) } : {}),
    ...(post.uri === null ? {} : { uri: post.uri }),
    ...(post.person.platform === "mastodon" ? { url: postUrl(post) } : {}),
    author: post.person.handle,
    author_id: post.person.id,
    author_name: post.person.name,
    created_at: isoTime(post.createdMs),
    text,
    lang: post.lang,
    ...countFields(post),
    ...(parent && { in_reply_to_id: postId(parent), in_reply_to: parent.person.handle }),
    ...(quotedLine && { is_quote: true, quote_of_id: postId(quotedLine) }),
    ...(original && { is_repost: true, repost_of_id: postId(original) }),
    ...(link === undefined ? {} : { urls: [link] }),
    ...mediaField(option),
    ...coordinates[option("at") ?? ""],
    ...(post.options.has("sensitive") ? { sensitive: true } : {}),
  };
}

function postText(post: DatedLine): string {
  const link = post.options.get("link");
  return link === undefined ? post.text : `${post.text} ${link}`;
}

function postId(post: DatedLine): string {
  return post.uri ?? String(post.id);
}

function postUrl(post: DatedLine): string {
  const [name, host] = post.person.handle.split("@");
  return `https://${host}/@${name}/${post.id}`;
}

function countFields(post: DatedLine): Record<string, number> {
  const names = ["likes", "reposts", "replies", "quotes"];
  return Object.fromEntries(names.map((name) => [name, Number(post.options.get(name) ?? 0)]));
}

const mediaTypes = ["image", "video", "gif"];

function mediaField(option: (name: string) => string | undefined): { media?: readonly unknown[] } {
  const items = mediaTypes.flatMap((type) => {
    const alt = option(type)?.replaceAll("_", " ");
    return alt === undefined ? [] : [{ type, alt }];
  });
  return items.length === 0 ? {} : { media: items };
}
