import { findEmoticons } from "./emoticons.ts";
import { type EntitySpan, findEntitySpans, splitAround } from "./entities.ts";
import { encodeParts, parseLink } from "./links.ts";
import {
  decodeReferences,
  encode,
  foldHandle,
  foldName,
  type Token,
  tokenize,
  withoutSkinTone,
} from "./text.ts";
import type { OraclePost, PostReference } from "./types.ts";

export type Person = { platform: string; id: string | null; handle: string | null };

/** Query-independent properties of a post. */
export type AnalyzedPost = {
  post: OraclePost;
  id: bigint;
  /** One text per line. */
  words: string;
  /** Emoji without skin tones, which match alone but not in phrases. */
  untonedEmoji: string;
  emoticons: string[];
  isQuestion: boolean;
  isOldStyleRepost: boolean;
  hashtags: string[];
  cashtags: string[];
  langs: string[];
  labels: string[];
  source: string | null;
  /** One part per line. */
  linkParts: string;
  hosts: string[];
  author: Person;
  mentions: Person[];
  repliedTo: Person | null;
  quoted: Person | null;
  reposted: Person | null;
  ownNames: string[];
  conversation: string[];
  repliedToNames: string[];
  quotedNames: string[];
  repostedNames: string[];
};

const questionMark =
  /[?¿\u037e\u055e\u061f\u1367\u203d\u2047\u2048\u2049\u2753\u2754\u2cfa\u2cfb\u2e18\u2e2e\u2e54\ua60f\ua6f7\ufe16\ufe56\uff1f\u{11143}\u{1e95f}]/u;
const repostPrefix = /^["“”„«「]?RT\p{White_Space}*/iu;

const languageAliases: Record<string, string> = { iw: "he", in: "id", no: "nb", tl: "fil" };

export function foldLanguage(code: string): string {
  const [language = "", ...rest] = code.trim().toLowerCase().replaceAll("_", "-").split("-");
  return [languageAliases[language] ?? language, ...rest].join("-");
}

export function foldSource(source: string): string {
  return source
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

const xPage = /^https?:\/\/(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com\/[^/]+\/status(?:es)?\/(\d+)/i;
const xInternalPage =
  /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/i\/(?:web\/)?status\/(\d+)/i;

export function xPostNumber(address: string): string | undefined {
  return (xInternalPage.exec(address) ?? xPage.exec(address))?.[1];
}

/** Names of a post: its uri, X number, or import number. */
export function postNames(platform: string, ...names: (string | null | undefined)[]): string[] {
  return names.flatMap((name) => {
    if (!name) return [];
    if (platform === "x") {
      const number = xPostNumber(name) ?? name;
      return [/^\d+$/.test(number) ? `x:${BigInt(number)}` : name];
    }
    const [, importNumber] = /^(?:import:[a-z]+:)?(\d+)(?:@.*)?$/.exec(name) ?? [];
    return importNumber ? [name, `imported:${BigInt(importNumber)}`] : [name];
  });
}

function referenceNames(platform: string, reference: PostReference | null): string[] {
  return reference ? postNames(platform, reference.uri, reference.id) : [];
}

function makePerson(
  platform: string,
  id: string | null | undefined,
  handle: string | null | undefined,
): Person {
  return {
    platform,
    id: id ? foldHandle(id) : null,
    handle: handle ? foldHandle(handle.replace(/^@/, "")) : null,
  };
}

function readPerson(platform: string, reference: PostReference | null): Person | null {
  if (!reference) return null;
  const did = /^at:\/\/(did:[^/]+)\//.exec(reference.uri ?? "")?.[1];
  return makePerson(platform, reference.user_id ?? did, reference.username);
}

/** Whether the text starts with `RT` and a mention. */
function hasRepostPrefix(text: string, spans: readonly EntitySpan[]): boolean {
  const mentionAt = repostPrefix.exec(text)?.[0].length;
  return spans.some(({ kind, start }) => kind === "mention" && start === mentionAt);
}

function textTokens(pieces: readonly string[]): Token[][] {
  return pieces.map(tokenize).filter((tokens) => tokens.length > 0);
}

export function analyzePost(post: OraclePost): AnalyzedPost {
  const meta = post.Metadata;
  const { platform } = meta;
  const content = decodeReferences(post.Content);
  const spans = findEntitySpans(content, platform);
  const pieces = splitAround(content, spans);
  const altPieces = meta.media.flatMap(({ alt }) => {
    if (!alt) return [];
    const text = decodeReferences(alt);
    return splitAround(text, findEntitySpans(text, platform));
  });
  const hashtags = meta.hashtags.map((tag) => tag.replace(/^[#＃]/, ""));
  const tokenLists = textTokens([...pieces, ...altPieces, ...hashtags]);
  const untonedEmoji = tokenLists.flat().flatMap((token) => {
    if (token.kind !== "emoji") return [];
    const base = withoutSkinTone(token.text);
    return base === token.text ? [] : [`[${base}]`];
  });
  const links = meta.urls.map(parseLink);
  const langs = new Set([...meta.langs, ...(meta.lang ? [meta.lang] : [])].map(foldLanguage));
  const ownNames = postNames(platform, meta.uri, ...(platform === "x" ? [post.ID] : []));
  return {
    post,
    id: BigInt(post.ID),
    words: tokenLists.map(encode).join("\n"),
    untonedEmoji: untonedEmoji.join("\n"),
    emoticons: findEmoticons(pieces.join("\ufffc")),
    isQuestion: pieces.some((piece) => questionMark.test(piece)),
    isOldStyleRepost: hasRepostPrefix(content, spans),
    hashtags: hashtags.map(foldName),
    cashtags: spans.filter((span) => span.kind === "cashtag").map((span) => foldName(span.value)),
    langs: langs.size > 0 ? [...langs] : ["und"],
    labels: meta.labels.map((label) => label.toLowerCase()),
    source: meta.source === null ? null : foldSource(meta.source),
    linkParts: links.map((link) => encodeParts(link.parts)).join("\n"),
    hosts: links.map((link) => link.host),
    author: makePerson(platform, meta.user_id, meta.username),
    mentions: meta.mentions.map((handle, index) =>
      makePerson(platform, post.mention_ids[index], handle),
    ),
    repliedTo: readPerson(platform, meta.in_reply_to),
    quoted: readPerson(platform, meta.quoted),
    reposted: readPerson(platform, meta.reposted),
    ownNames,
    conversation: postNames(platform, meta.conversation_id),
    repliedToNames: referenceNames(platform, meta.in_reply_to),
    quotedNames: referenceNames(platform, meta.quoted),
    repostedNames: referenceNames(platform, meta.reposted),
  };
}
