import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entity, extractEntities, readHashtag, readMention } from "@earshot/query/text";
import { parse } from "yaml";

/** Test cases of twitter-text, which are not in the repository. */
export const casesFolder = join(
  import.meta.dirname,
  "../../../shared/data/conformance/twitter-text",
);
const files = ["extract", "autolink", "validate", "hit_highlighting", "tlds"] as const;
export const hasCases = files.every((file) => existsSync(join(casesFolder, `${file}.yml`)));

export type Outcome = {
  group: string;
  description: string;
  text: string;
  expected: string;
  actual: string;
};

type Case = { description: string; text: string; expected: unknown; json?: string };
type Comparison = (each: Case) => { expected: unknown; actual: unknown };
type Kind = Entity["kind"];

export const skippedGroups: Readonly<Record<string, string>> = {
  "validate/tweets": "checks that a text is short enough to be posted on X",
  "validate/lists": "lists of accounts: Earshot treats them as mentions of their owners",
  "validate/WeightedTweetsCounterTest": "computes the weighted length of a post on X",
  "validate/WeightedTweetsWithDiscountedEmojiCounterTest":
    "computes the weighted length of a post on X",
  "validate/UnicodeDirectionalMarkerCounterTest": "computes the weighted length of a post on X",
  "hit_highlighting/plain_text": "highlights hits: records contain only the text",
  "hit_highlighting/with_links": "highlights hits: records contain only the text",
};

const listValues =
  (kind: Kind): Comparison =>
  ({ text, expected }) => ({
    expected,
    actual: entitiesOfKind(kind, text).map(({ value }) => value),
  });

const listPositions =
  (kind: Kind, name: string): Comparison =>
  ({ text, expected }) => ({
    expected,
    actual: entitiesOfKind(kind, text).map((entity) => ({
      [name]: entity.value,
      indices: getIndices(entity, text),
    })),
  });

const linkedAs =
  (...kinds: Kind[]): Comparison =>
  ({ text, expected }) => ({
    expected: readHtmlLinks(String(expected)).filter(({ kind }) => kinds.includes(kind)),
    actual: extractEntities(text)
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, value }) => ({ kind, value })),
  });

const validWhen =
  (isValid: (text: string) => boolean): Comparison =>
  ({ text, expected }) => ({ expected, actual: isValid(text) });

const isOneLink = (text: string): boolean => {
  const [link, ...others] = entitiesOfKind("url", text);
  return others.length === 0 && link?.start === 0 && link.end === text.length;
};

const comparisons: Readonly<Record<string, Comparison>> = {
  "extract/mentions": listValues("mention"),
  "extract/mentions_with_indices": listPositions("mention", "screen_name"),
  // A list counts as a mention of its owner.
  "extract/mentions_or_lists_with_indices": ({ text, expected }) => ({
    expected: (expected as ListMention[]).map(({ screen_name, list_slug, indices }) => ({
      screen_name,
      indices: [indices[0], indices[1] - list_slug.length],
    })),
    actual: listPositions("mention", "screen_name")({ description: "", text, expected }).actual,
  }),
  "extract/replies": ({ text, expected }) => ({
    expected: expected ?? null,
    actual:
      entitiesOfKind("mention", text).find(({ start }) => text.slice(0, start).trim() === "")
        ?.value ?? null,
  }),
  "extract/urls": listValues("url"),
  "extract/urls_with_indices": listPositions("url", "url"),
  "extract/urls_with_directional_markers": listPositions("url", "url"),
  "extract/tco_urls_with_params": listValues("url"),
  "extract/hashtags": listValues("hashtag"),
  "extract/hashtags_from_astral": listValues("hashtag"),
  "extract/hashtags_with_indices": listPositions("hashtag", "hashtag"),
  "extract/cashtags": listValues("cashtag"),
  "extract/cashtags_with_indices": listPositions("cashtag", "cashtag"),
  "autolink/usernames": linkedAs("mention"),
  "autolink/lists": linkedAs("mention"),
  "autolink/hashtags": linkedAs("hashtag"),
  // twitter-text links only addresses with a scheme, but extracts others.
  "autolink/urls": ({ text, expected }) => ({
    expected: readHtmlLinks(String(expected)).map(({ value }) => value),
    actual: entitiesOfKind("url", text)
      .map(({ value }) => value)
      .filter((value) => /^https?:/i.test(value)),
  }),
  "autolink/cashtags": linkedAs("cashtag"),
  "autolink/all": linkedAs("url", "mention", "hashtag", "cashtag"),
  "autolink/json": ({ text, json = "{}" }) => ({
    expected: positionsInJson(json),
    actual: extractEntities(text).map((entity) => getIndices(entity, text)),
  }),
  "validate/usernames": validWhen((text) => readMention(text, 0)?.end === text.length),
  "validate/hashtags": validWhen((text) => readHashtag(text, 0)?.end === text.length),
  "validate/urls": validWhen(isOneLink),
  "validate/urls_without_protocol": validWhen(isOneLink),
  "tlds/country": listValues("url"),
  "tlds/generic": listValues("url"),
};

type ListMention = { screen_name: string; list_slug: string; indices: [number, number] };

export function runCases(): Outcome[] {
  return files.flatMap((file) => {
    const groups = (
      parse(readFileSync(join(casesFolder, `${file}.yml`), "utf8")) as {
        tests: Record<string, Case[]>;
      }
    ).tests;
    return Object.entries(groups).flatMap(([name, cases]) =>
      listOutcomes(`${file}/${name}`, cases),
    );
  });
}

function listOutcomes(group: string, cases: readonly Case[]): Outcome[] {
  if (group in skippedGroups) return [];
  const compare = comparisons[group];
  if (compare === undefined) throw new Error(`no comparison for the cases of ${group}`);
  return cases.map((each) => {
    const { expected, actual } = compare(each);
    const { description, text } = each;
    return {
      group,
      description,
      text,
      expected: JSON.stringify(expected),
      actual: JSON.stringify(actual),
    };
  });
}

function entitiesOfKind(kind: Kind, text: string): Entity[] {
  return extractEntities(text).filter((entity) => entity.kind === kind);
}

function getIndices({ start, end }: Entity, text: string): [number, number] {
  return [[...text.slice(0, start)].length, [...text.slice(0, end)].length];
}

const anchor = /<a ([^>]*)>(.*?)<\/a>/g;

function readHtmlLinks(html: string): { kind: Kind; value: string }[] {
  return Array.from(html.matchAll(anchor), ([, attributes = "", content = ""]) => {
    const kind = linkKind(attributes);
    const value = decodeHtml(content.replaceAll(/<[^>]*>/g, ""));
    if (kind === "url") return { kind, value };
    // A list is written as owner and name.
    return { kind, value: value.replace(/^[#＃$@＠]/, "").replace(/\/.*/, "") };
  });
}

function linkKind(attributes: string): Kind {
  if (/class="[^"]*\b(?:username|list-slug)\b/.test(attributes)) return "mention";
  if (/class="[^"]*\bhashtag\b/.test(attributes)) return "hashtag";
  return /class="[^"]*\bcashtag\b/.test(attributes) ? "cashtag" : "url";
}

function decodeHtml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function positionsInJson(json: string): [number, number][] {
  const kinds = Object.values(JSON.parse(json) as Record<string, { indices: [number, number] }[]>);
  return kinds
    .flat()
    .map(({ indices }) => indices)
    .sort(([a], [b]) => a - b);
}
