import twitterText from "twitter-text";
import { isLink } from "./links.ts";

/** A stretch of a text that is more than words; UTF-16 offsets, end excluded. */
export type Stretch = {
  kind: "link" | "mention" | "hashtag" | "cashtag";
  start: number;
  end: number;
  /** The address, or the name without its sign. */
  value: string;
};

const hostName =
  "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const userPart = "[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?";

/** A handle that is a host name, or a user at one. */
export const hostHandle = new RegExp(`(?:${userPart}@)?${hostName}`, "y");
const hostMention = new RegExp(
  `(?<![A-Za-z0-9_!#$%&*@＠])[@＠]((?:${userPart}@)?${hostName})`,
  "g",
);

const knownDomain = new RegExp(
  `\\.(?:${twitterText.regexen.validGTLD.source}|${twitterText.regexen.validCCTLD.source})$`,
  "i",
);

function published(text: string): Stretch[] {
  if (!/[.@＠#＃$]/.test(text)) return [];
  const entities = [
    ...twitterText.extractUrlsWithIndices(text).filter(({ url = "" }) => isLink(url)),
    ...twitterText.extractMentionsOrListsWithIndices(text),
    ...twitterText.extractHashtagsWithIndices(text, { checkUrlOverlap: false }),
    ...twitterText.extractCashtagsWithIndices(text),
  ];
  if (entities.length > 0) twitterText.removeOverlappingEntities(entities);
  return entities.flatMap((entity): Stretch[] => {
    const [start, end] = entity.indices;
    if (entity.url !== undefined) return [{ kind: "link", start, end, value: entity.url }];
    if (entity.hashtag !== undefined)
      return [{ kind: "hashtag", start, end, value: entity.hashtag }];
    if (entity.cashtag !== undefined)
      return [{ kind: "cashtag", start, end, value: entity.cashtag }];
    if (entity.screenName === undefined || entity.listSlug) return [];
    return [{ kind: "mention", start, end, value: entity.screenName }];
  });
}

/** The links, mentions, hashtags and cashtags of a text, in order, none over another. */
export function stretchesOf(text: string, platform: string): Stretch[] {
  const found = published(text);
  if (platform === "x" || !/[@＠]/.test(text)) return found;
  const links = found.filter((stretch) => stretch.kind === "link");
  const hosts: Stretch[] = [];
  for (const match of text.matchAll(hostMention)) {
    const [start, end] = [match.index, match.index + match[0].length];
    const name = match[1] ?? "";
    if (!name.includes("@") && !knownDomain.test(name)) continue;
    if (links.some((link) => link.start < start && start < link.end)) continue;
    hosts.push({ kind: "mention", start, end, value: name });
  }
  if (hosts.length === 0) return found;
  const others = found.filter(
    (stretch) => !hosts.some((host) => stretch.start < host.end && host.start < stretch.end),
  );
  return [...others, ...hosts].sort((one, other) => one.start - other.start);
}

/** The pieces of a text between its links and mentions. */
export function piecesOf(text: string, stretches: readonly Stretch[]): string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const stretch of stretches) {
    if (stretch.kind !== "link" && stretch.kind !== "mention") continue;
    pieces.push(text.slice(end, stretch.start));
    end = stretch.end;
  }
  pieces.push(text.slice(end));
  return pieces;
}
