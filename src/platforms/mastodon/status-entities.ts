import { extractEntities } from "@earshot/query/text";
import type { Mention } from "../../posts/post.ts";
import { distinctTags } from "../distinct-tags.ts";
import { asFields, list, string } from "../fields.ts";
import { qualifyId, readLocalId, readQualifiedAcct } from "./account.ts";

export const maxEntities = 100;
const maxTagLength = 640;

export type KnownMention = { mention: Mention; shortName: string; accountId: string | null };

export function readMentions(value: unknown, instance: string): KnownMention[] {
  return list(value, maxEntities).flatMap((item) => {
    const { id, acct } = asFields(item);
    const username = readQualifiedAcct(acct, instance);
    if (username === null) return [];
    const accountId = readLocalId(id);
    const userId = accountId === null ? null : qualifyId(accountId, instance);
    const shortName = username.slice(0, username.indexOf("@")).toLowerCase();
    return [{ mention: { username, userId }, shortName, accountId }];
  });
}

export function readTags(value: unknown): string[] {
  return list(value, maxEntities).flatMap((item) => {
    const tag = string(asFields(item).name, maxTagLength)
      ?.replace(/^[#＃]/, "")
      .trim();
    return tag ? [tag] : [];
  });
}

type Entities = {
  mentions: KnownMention[];
  tags: readonly string[];
  links: readonly string[];
};

/** The analyzer does not index links and mentions as words. */
export function addTextEntities(text: string, listedEntities: Entities): Entities {
  const { mentions } = listedEntities;
  const entities = {
    mentions: [...mentions],
    tags: [...listedEntities.tags],
    links: [...listedEntities.links],
  };
  const mentionedNames = new Set(
    mentions.flatMap(({ mention, shortName }) => [mention.username.toLowerCase(), shortName]),
  );
  for (const { kind, value } of extractEntities(text, { dottedHandles: true })) {
    if (kind === "url") entities.links.push(value);
    if (kind === "hashtag") entities.tags.push(value);
    if (kind !== "mention" || mentionedNames.has(value.toLowerCase())) continue;
    mentionedNames.add(value.toLowerCase());
    const mention = { username: value, userId: null };
    entities.mentions.push({ mention, shortName: value, accountId: null });
  }
  return { ...entities, tags: distinctTags(entities.tags) };
}
