import { isoText } from "../../lib/iso-time.ts";
import type { SearchCall } from "../upstream.ts";
import { type InstanceInfo, supportsOperators } from "./instance-info.ts";
import type { Alternatives, Atom } from "./search-atoms.ts";

export type Feed =
  | { kind: "search"; text: string }
  | {
      kind: "tag";
      tag: string;
      any: readonly string[];
      all: readonly string[];
      none: readonly string[];
    };

export type Feeds = { feeds: readonly Feed[]; uncoveredCount: number };

/** Maximum of further tags of each kind (`any`, `all`, `none`) per request. */
const maxExtraTags = 3;
const maxTextLength = 500;
const dayMs = 86_400_000;

/**
 * Search requires a user's token. Hashtag timelines cover more posts, so they serve alternatives
 * with only hashtags, and any with hashtags where search is unavailable.
 */
export function feedsFor(
  alternatives: Alternatives,
  { info, isUser, call }: { info: InstanceInfo; isUser: boolean; call: Window },
): Feeds {
  const showsTags = info.hashtagFeeds === "public" || (isUser && info.hashtagFeeds !== "disabled");
  const feeds: Feed[] = [];
  let uncoveredCount = 0;
  for (const atoms of alternatives) {
    const tags = atoms.filter(({ kind }) => kind === "tag");
    const hasOnlyTags = tags.length > 0 && !atoms.some(isText);
    const text = isUser ? searchText(atoms, info, call) : null;
    if (showsTags && tags.length > 0 && (hasOnlyTags || text === null)) feeds.push(tagFeed(atoms));
    else if (text !== null) feeds.push({ kind: "search", text });
    else uncoveredCount += 1;
  }
  return { feeds: mergeTagFeeds(feeds), uncoveredCount };
}

type Window = Pick<SearchCall, "fromMs" | "toMs" | "asOfMs">;

const isText = ({ kind, text }: Atom): boolean =>
  kind === "word" || kind === "phrase" || (kind === "operator" && text.startsWith("from:"));

function tagFeed(atoms: readonly Atom[]): Feed & { kind: "tag" } {
  const listTexts = (kind: Atom["kind"]): string[] =>
    atoms.filter((atom) => atom.kind === kind).map(({ text }) => text);
  const [tag = "", ...all] = listTexts("tag");
  return {
    kind: "tag",
    tag,
    any: [],
    all: all.slice(0, maxExtraTags),
    none: listTexts("no-tag").slice(0, maxExtraTags),
  };
}

function mergeTagFeeds(feeds: readonly Feed[]): Feed[] {
  const plainTags = feeds.flatMap((feed) =>
    feed.kind === "tag" && feed.all.length === 0 && feed.none.length === 0 ? [feed.tag] : [],
  );
  const otherFeeds = feeds.filter(
    (feed) => feed.kind !== "tag" || feed.all.length > 0 || feed.none.length > 0,
  );
  const mergedFeeds: Feed[] = [];
  for (let start = 0; start < plainTags.length; start += maxExtraTags + 1) {
    const [tag = "", ...any] = plainTags.slice(start, start + maxExtraTags + 1);
    mergedFeeds.push({ kind: "tag", tag, any, all: [], none: [] });
  }
  return [...mergedFeeds, ...otherFeeds];
}

/** Null if there is no positive term. */
function searchText(atoms: readonly Atom[], info: InstanceInfo, call: Window): string | null {
  const hasOperators = supportsOperators(info);
  const terms = atoms.flatMap((atom) => getTerms(atom, hasOperators));
  if (!terms.some((part) => !part.startsWith("-"))) return null;
  const parts = hasOperators ? [...terms, ...getWindow(call)] : terms;
  let text = "";
  for (const part of parts) {
    if (text.length + part.length < maxTextLength) text = `${text} ${part}`.trim();
  }
  return text;
}

function getTerms({ kind, text }: Atom, hasOperators: boolean): string[] {
  if (kind === "word") return [text];
  if (kind === "phrase") return [`"${text}"`];
  if (kind === "tag" && hasOperators && /^[\p{L}\p{N}\p{M}_]+$/u.test(text)) return [`#${text}`];
  return kind === "operator" && hasOperators ? [text] : [];
}

/**
 * The server reads days in the user's unknown time zone and excludes the named day, so two days are
 * added at each end.
 */
function getWindow({ fromMs, toMs, asOfMs }: Window): string[] {
  const day = (ms: number): string => isoText(ms).slice(0, 10);
  const isReadable = (ms: number): boolean => ms > 0 && ms < Date.UTC(9000, 0);
  const afterTerms =
    fromMs !== null && isReadable(fromMs) ? [`after:${day(fromMs - 2 * dayMs)}`] : [];
  const isPast = isReadable(toMs) && toMs + 2 * dayMs < asOfMs;
  return isPast ? [...afterTerms, `before:${day(toMs + 2 * dayMs)}`] : afterTerms;
}
