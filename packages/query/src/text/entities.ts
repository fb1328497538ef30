import { findLinks } from "./links.ts";
import type { TextSpan } from "./span.ts";
import { topLevelDomains } from "./top-level-domains.ts";

export type Entity = TextSpan & { kind: EntityKind; value: string };
export type EntityKind = "hashtag" | "mention" | "cashtag" | "url";

export type EntityOptions = {
  /** Includes handles that are or contain a host name (`@user@host.example`). */
  dottedHandles?: boolean;
};

export type SigilValue = { value: string; end: number };

/** Joiners, middle dots and similar characters. */
const hashtagSpecials =
  "_\\u200c\\u200d\\ua67e\\u05be\\u05f3\\u05f4\\uff5e\\u301c\\u309b\\u309c\\u30a0\\u30fb\\u3003\\u0f0b\\u0f0c\\u00b7";
const hashtagCharacters = `\\p{L}\\p{M}\\p{Nd}${hashtagSpecials}`;
const everyHashtag = new RegExp(`[#＃](?![\\ufe0f\\u20e3])([${hashtagCharacters}]+)`, "gu");
const stickyHashtag = new RegExp(everyHashtag, "uy");
const hashtagLetter = /[\p{L}\p{M}]/u;
const badBeforeHashtag = new RegExp(`[${hashtagCharacters}&]$`, "u");
const variationSelector = /[\ufe0e\ufe0f]$/;
const badAfterHashtag = /^(?:[#＃]|:\/\/)/;

const hostLabel = "[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?";
const hostName = `${hostLabel}(?:\\.${hostLabel}){0,8}\\.[A-Za-z]{2,63}(?![A-Za-z0-9_])`;
const plainMention = /[@＠]([A-Za-z0-9_]{1,20})/g;
const handle = `(?:${hostName}|[A-Za-z0-9_]{1,64})`;
const dottedMention = new RegExp(`[@＠](${handle}(?:@${hostName})?)`, "g");
const stickyDottedMention = new RegExp(dottedMention, "y");
const stickyPlainMention = /[@＠]([A-Za-z0-9_]{1,64})/y;
const badBeforeMention = /[A-Za-z0-9_!#$%&*@＠]$/;
/** `RT@user` and `rt:@user` are mentions despite the preceding letter. */
const repostMark = /(?:^|[^A-Za-z0-9_+~.-])rt:?$/i;
const badAfterMention =
  /^(?:[@＠\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]|[\u0300-\u036f]|:\/\/)/;

/** These characters do not change a tag. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;

const cashtagName = "[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?";
const cashtagEnd = "(?=$|[\\s!#-/:-@\\[-_{-~])";
const everyCashtag = new RegExp(`(?<=^|\\s)\\$(${cashtagName})${cashtagEnd}`, "g");
const stickyCashtag = new RegExp(`\\$(${cashtagName})${cashtagEnd}`, "y");

/** By X's rules, in order, without overlaps. Offsets are in UTF-16 code units. */
export function extractEntities(text: string, options: EntityOptions = {}): Entity[] {
  const links = findLinks(text).map(
    ({ start, end }): Entity => ({ kind: "url", start, end, value: text.slice(start, end) }),
  );
  const entities = [
    ...links,
    ...findHashtags(text),
    ...findMentions(text, options),
    ...findCashtags(text),
  ].sort((a, b) => a.start - b.start);
  return entities.filter(createOverlapFilter());
}

function createOverlapFilter(): (entity: Entity) => boolean {
  let end = 0;
  return (entity) => {
    if (entity.start < end) return false;
    end = entity.end;
    return true;
  };
}

export function findMentions(text: string, options: EntityOptions = {}): Entity[] {
  if (!text.includes("@") && !text.includes("＠")) return [];
  const mentions: Entity[] = [];
  for (const match of text.matchAll(options.dottedHandles ? dottedMention : plainMention)) {
    if (!canMentionAt(text, match.index)) continue;
    const longestHandle = plausibleHandle(match[1] ?? "");
    // `@nasa.comé` mentions only nasa.
    const value = hasBadEnding(text, match.index, longestHandle)
      ? firstName(longestHandle)
      : longestHandle;
    if (hasBadEnding(text, match.index, value)) continue;
    const end = match.index + 1 + value.length;
    mentions.push({ kind: "mention", start: match.index, end, value });
  }
  return mentions;
}

/** Null for `#` alone, `#1` and keycaps. */
export function readHashtag(text: string, offset: number): SigilValue | null {
  const found = readAt(stickyHashtag, text, offset);
  return found !== null && hashtagLetter.test(found.value) ? found : null;
}

export function readMention(text: string, offset: number): SigilValue | null {
  return readAt(stickyDottedMention, text, offset) ?? readAt(stickyPlainMention, text, offset);
}

export function readCashtag(text: string, offset: number): SigilValue | null {
  return readAt(stickyCashtag, text, offset);
}

/** Without the sigil, in NFKC and lower case. */
export function foldTag(tag: string): string {
  return foldSigil(tag, "#");
}

export function foldHandle(handle: string): string {
  return foldSigil(handle, "@");
}

export function findHashtags(text: string): Entity[] {
  if (!text.includes("#") && !text.includes("＃")) return [];
  const hashtags: Entity[] = [];
  for (const match of text.matchAll(everyHashtag)) {
    const value = match[1] ?? "";
    const end = match.index + match[0].length;
    if (!hashtagLetter.test(value) || badAfterHashtag.test(text.slice(end, end + 3))) continue;
    const precedingText = text.slice(Math.max(0, match.index - 2), match.index);
    if (badBeforeHashtag.test(precedingText) && !variationSelector.test(precedingText)) continue;
    hashtags.push({ kind: "hashtag", start: match.index, end, value });
  }
  return hashtags;
}

export function findCashtags(text: string): Entity[] {
  if (!text.includes("$")) return [];
  return Array.from(text.matchAll(everyCashtag), (match) => ({
    kind: "cashtag",
    start: match.index,
    end: match.index + match[0].length,
    value: match[1] ?? "",
  }));
}

/** The last part must be a top-level domain in lower case: `@nasa.Great day` mentions nasa. */
function plausibleHandle(handle: string): string {
  const dot = handle.lastIndexOf(".");
  if (dot < 0 || handle.includes("@")) return handle;
  return topLevelDomains.has(handle.slice(dot + 1)) ? handle : firstName(handle);
}

const firstName = (handle: string): string => handle.match(/^\w+/)?.[0] ?? "";

function hasBadEnding(text: string, sigil: number, handle: string): boolean {
  const end = sigil + 1 + handle.length;
  return badAfterMention.test(text.slice(end, end + 3));
}

function canMentionAt(text: string, sigil: number): boolean {
  const precedingText = text.slice(Math.max(0, sigil - 4), sigil);
  return !badBeforeMention.test(precedingText) || repostMark.test(precedingText);
}

function readAt(pattern: RegExp, text: string, offset: number): SigilValue | null {
  pattern.lastIndex = offset;
  const match = pattern.exec(text);
  return match === null ? null : { value: match[1] ?? "", end: offset + match[0].length };
}

const plainAscii = /^[!-~]*$/;

function foldSigil(text: string, sigil: string): string {
  if (plainAscii.test(text)) {
    const lower = text.toLowerCase();
    return lower.startsWith(sigil) ? lower.slice(1) : lower;
  }
  const folded = text.replace(invisible, "").trim().normalize("NFKC").toLowerCase();
  return folded.startsWith(sigil) ? folded.slice(1) : folded;
}

/** Between white space, but punctuation may follow. The mouth may repeat. */
const everyEmoticon = /(?<![^\s])([:;=])['’^-]?(\)+|\(+|[DPpOo])(?=[\s.,!?…)"'“”„‘’‚]|$)/g;
/** A cheap first check, which the colon in a link does not pass. */
const possibleEmoticon = /[:;=]['’^-]?[()DPpOo]/;
const exactEmoticon = /^([:;=])['’^-]?(\)+|\(+|[DPpOo])$/;

/** `:-)`, `=)`, `:))` and `:)` are the same emoticon. */
export function findEmoticons(text: string): string[] {
  if (!possibleEmoticon.test(text)) return [];
  const emoticons = new Set<string>();
  for (const [, eyes = "", mouth = ""] of text.matchAll(everyEmoticon))
    emoticons.add(plainEmoticon(eyes, mouth.charAt(0)));
  return [...emoticons];
}

export function readEmoticon(text: string): string | null {
  const [, eyes = "", mouth = ""] = exactEmoticon.exec(text) ?? [];
  return mouth === "" ? null : plainEmoticon(eyes, mouth.charAt(0));
}

function plainEmoticon(eyes: string, mouth: string): string {
  return `${eyes === ";" ? ";" : ":"}${mouth.toUpperCase()}`;
}
