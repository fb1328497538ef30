import twitterText from "twitter-text";
import { commonDomains } from "./common-domains.ts";
import { isLink } from "./links.ts";

export type EntitySpan = {
  kind: "link" | "mention" | "hashtag" | "cashtag";
  start: number;
  end: number;
  /** The text without `@`, `#` or `$`. */
  value: string;
};

type Entity = ReturnType<typeof twitterText.extractUrlsWithIndices>[number];

const { regexen } = twitterText;
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const hostName = `(?:${label}\\.)+[A-Za-z]{2,}(?![A-Za-z0-9_${regexen.latinAccentChars.source}])`;
const userPart = "[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?";

/** Queries accept any domain. */
export const hostHandle = new RegExp(`(?:${userPart}@)?${hostName}`, "uy");
const hostMention = new RegExp(
  `(?<![A-Za-z0-9_!#$%&*@＠])[@＠]((?:${userPart}@)?${hostName})`,
  "gu",
);
const letterAfter = new RegExp(`^(?![\\u0300-\\u036f])[A-Za-z${regexen.latinAccentChars.source}]`);
const anyLetterAfter = /^\p{L}/u;

/** Accepts any host. */
const urlWithScheme = new RegExp(
  `(?<=${regexen.validUrlPrecedingChars.source})https?://` +
    `(${regexen.validSubdomain.source}*${regexen.validDomainName.source}[a-z]{2,}(?![a-z0-9@+-]))` +
    `(?::${regexen.validPortNumber.source})?(?:/${regexen.validUrlPath.source}*)?` +
    `(?:\\?${regexen.validUrlQueryChars.source}*${regexen.validUrlQueryEndingChars.source})?`,
  "gi",
);

function isHostHandle(handle: string): boolean {
  return handle.includes("@") || commonDomains.has(handle.slice(handle.lastIndexOf(".") + 1));
}

function isBareHost(address: string): boolean {
  return /^(?:https?:\/\/)?[^/?#:]*$/i.test(address);
}

function findLinks(text: string): EntitySpan[] {
  const twitterLinks = twitterText.extractUrlsWithIndices(text).flatMap(({ url = "", indices }) => {
    const [start, end] = indices;
    if (!isLink(url) || (isBareHost(url) && letterAfter.test(text.slice(end)))) return [];
    return [{ kind: "link" as const, start, end, value: url }];
  });
  const schemeLinks = [...text.matchAll(urlWithScheme)].flatMap(({ 0: value, index: start }) => {
    if (/^https?:\/\/t\.co(?![^/?])/i.test(value)) return [];
    if (isBareHost(value) && anyLetterAfter.test(text.slice(start + value.length))) return [];
    return [{ kind: "link" as const, start, end: start + value.length, value }];
  });
  const longerLinks = schemeLinks.filter(
    (one) => !twitterLinks.some(({ start, end }) => start <= one.start && one.end <= end),
  );
  const remainingLinks = twitterLinks.filter(
    (one) => !longerLinks.some(({ start, end }) => start <= one.start && one.end <= end),
  );
  return [...remainingLinks, ...longerLinks];
}

function findTwitterSpans(text: string): EntitySpan[] {
  if (!/[.@＠#＃$]/.test(text)) return [];
  const entities = [
    ...findLinks(text).map(
      ({ start, end, value }): Entity => ({ indices: [start, end], url: value }),
    ),
    ...twitterText.extractMentionsOrListsWithIndices(text),
    ...twitterText.extractHashtagsWithIndices(text, { checkUrlOverlap: false }),
    ...twitterText.extractCashtagsWithIndices(text),
  ];
  if (entities.length > 0) twitterText.removeOverlappingEntities(entities);
  return entities.flatMap((entity): EntitySpan[] => {
    const [start, end] = entity.indices;
    if (entity.url !== undefined) return [{ kind: "link", start, end, value: entity.url }];
    if (entity.hashtag !== undefined)
      return [{ kind: "hashtag", start, end, value: entity.hashtag }];
    if (entity.cashtag !== undefined)
      return [{ kind: "cashtag", start, end, value: entity.cashtag }];
    const name = entity.screenName;
    if (name === undefined) return [];
    return [{ kind: "mention", start, end: start + 1 + name.length, value: name }];
  });
}

/** Returns the spans in order, without overlaps. */
export function findEntitySpans(text: string, platform: string): EntitySpan[] {
  const found = findTwitterSpans(text);
  if (platform === "x" || !/[@＠]/.test(text)) return found;
  const links = found.filter((span) => span.kind === "link");
  const hosts: EntitySpan[] = [];
  for (const match of text.matchAll(hostMention)) {
    const [start, end] = [match.index, match.index + match[0].length];
    const name = match[1] ?? "";
    if (!isHostHandle(name)) continue;
    if (links.some((link) => link.start < start && start < link.end)) continue;
    hosts.push({ kind: "mention", start, end, value: name });
  }
  if (hosts.length === 0) return found;
  const remainingSpans = found.filter(
    (span) => !hosts.some((host) => span.start < host.end && host.start < span.end),
  );
  return [...remainingSpans, ...hosts].sort((a, b) => a.start - b.start);
}

export function splitAround(text: string, spans: readonly EntitySpan[]): string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const span of spans) {
    if (span.kind !== "link" && span.kind !== "mention") continue;
    pieces.push(text.slice(end, span.start));
    end = span.end;
  }
  pieces.push(text.slice(end));
  return pieces;
}
