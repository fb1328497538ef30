import { parseUntrustedJson } from "../../../lib/bounded-json.ts";
import { errorMessage } from "../../../lib/errors.ts";
import { asFields, isObject, list, string } from "../../../platforms/fields.ts";
import { readQualifiedAcct } from "../../../platforms/mastodon/account.ts";
import { htmlToText } from "../../../platforms/mastodon/html-text.ts";
import { asHttpUrl } from "../../../platforms/mastodon/http-url.ts";
import type { Mention, Post } from "../../../posts/post.ts";
import { RecordError } from "../record.ts";
import type { ImportSource } from "../source.ts";
import { unreadableImport } from "../source-bytes.ts";
import type { ReadContext, RecordsFormat } from "./format.ts";
import { jsonFormat, readPostFields } from "./json-records.ts";

type Actor = { id: string; username: string; name: string | null };

const maxEntities = 200;

/**
 * Reads an account's zip archive or `outbox.json` (an ActivityPub collection). Imports only public
 * posts and reposts: others are not meant to be searchable.
 */
export const mastodonOutboxFormat: RecordsFormat = jsonFormat({
  key: "mastodon-outbox",
  files: /(?:^|\/)outbox\.json$/,
  listName: "orderedItems",
  padding: null,
  prepare: async (source) => {
    const actor = await readActor(source);
    return (record, context) => readActivity(record, actor, context);
  },
});

async function readActor(source: ImportSource): Promise<Actor | null> {
  const file = await source.companion("actor.json");
  if (file === null) return null;
  try {
    const { id, preferredUsername, name } = asFields(parseUntrustedJson(file));
    const address = asHttpUrl(id);
    const host = address === null ? "" : new URL(address).host;
    const username = readQualifiedAcct(preferredUsername, host);
    if (address === null || username === null) return null;
    return { id: address, username, name: string(name, 500)?.trim() || null };
  } catch (error) {
    throw unreadableImport(source.name, new Error(`actor.json: ${errorMessage(error)}`));
  }
}

function readActivity(record: unknown, actor: Actor | null, context: ReadContext): Post | null {
  if (!isObject(record)) throw new RecordError("expected an activity object");
  const { type, object } = record;
  if (type !== "Create" && type !== "Announce") {
    context.onSkipped("activities other than posts");
    return null;
  }
  if (!isPublic(record) || (isObject(object) && !isPublic(object))) {
    context.onSkipped("non-public posts");
    return null;
  }
  const author = makeAuthor(record, actor);
  if (type === "Announce") {
    const originalId = typeof object === "string" ? object : asFields(object).id;
    const { id, published } = record;
    return readPostFields(
      {
        ...author,
        uri: id,
        created_at: published,
        text: "",
        is_repost: true,
        repost_of_id: originalId,
      },
      "mastodon",
      context,
    );
  }
  if (!isObject(object)) throw new RecordError("object: expected a post object");
  return readNote(object, author, context);
}

const publicNames: readonly unknown[] = [
  "https://www.w3.org/ns/activitystreams#Public",
  "as:Public",
  "Public",
];

const isPublic = ({ to }: Record<string, unknown>): boolean =>
  (Array.isArray(to) ? to.slice(0, 1_000) : [to]).some((name) => publicNames.includes(name));

type Author = { author: string; author_name: string | null };

function makeAuthor({ actor: actorId }: Record<string, unknown>, actor: Actor | null): Author {
  if (actor !== null && actorId === actor.id) {
    return { author: actor.username, author_name: actor.name };
  }
  const address = asHttpUrl(actorId);
  const url = address === null ? null : new URL(address);
  const name = url === null ? null : /^\/(?:users\/|@)([^/]+)$/.exec(url.pathname)?.[1];
  const author = url === null || name === null ? null : readQualifiedAcct(name, url.host);
  if (author === null) {
    throw new RecordError(
      "actor: expected the account of actor.json, or a URL that ends with its name (put actor.json beside the file)",
    );
  }
  return { author, author_name: null };
}

function readNote(note: Record<string, unknown>, author: Author, context: ReadContext): Post {
  const quotedUri = [note.quote, note.quoteUrl, note.quoteUri].find(
    (uri) => typeof uri === "string",
  );
  const body = htmlToText(
    string(note.content, 1_000_000) ?? "",
    quotedUri === undefined ? null : "quote-inline",
  );
  const warning = (string(note.summary, 5_000) ?? "").trim();
  const options = list(note.oneOf ?? note.anyOf, 20).flatMap(
    (option) => string(asFields(option).name, 1_000)?.trim() || [],
  );
  const parts = [warning, body.text, options.join("\n")];
  const post = readPostFields(
    {
      ...author,
      uri: note.id,
      url: asHttpUrl(note.url),
      created_at: note.published,
      text: parts.filter((part) => part !== "").join("\n\n"),
      lang: readLanguage(note.contentMap),
      in_reply_to_id: note.inReplyTo,
      quote_of_id: quotedUri,
      hashtags: tagsByType(note.tag, "Hashtag").flatMap(({ name }) => readTag(name)),
      urls: body.links.filter(({ isReference }) => !isReference).map(({ url }) => url),
      media: list(note.attachment, 40).flatMap(readMedia),
      sensitive: note.sensitive === true || warning !== "",
    },
    "mastodon",
    context,
  );
  return { ...post, mentions: readMentions(note.tag, post.mentions) };
}

function readLanguage(value: unknown): string | null {
  const [language] = isObject(value) ? Object.keys(value) : [];
  return language !== undefined && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language)
    ? language
    : null;
}

function tagsByType(value: unknown, type: string): Record<string, unknown>[] {
  return list(value, maxEntities)
    .map(asFields)
    .filter((tag) => tag.type === type);
}

function readTag(name: unknown): string[] {
  const tag = string(name, 500)?.replace(/^[#＃]/, "");
  return tag !== undefined && /^[^\s\p{Cc}]+$/u.test(tag) ? [tag] : [];
}

/** Attachments are files in the archive, often without a web address; `name` is the alt text. */
function readMedia(value: unknown): unknown[] {
  const { mediaType, url, name } = asFields(value);
  const kind = string(mediaType, 100)?.split("/")[0] ?? "";
  const type = ["image", "video", "audio"].includes(kind) ? kind : "unknown";
  return [{ type, url: asHttpUrl(url), alt: string(name, 5_000) }];
}

function readMentions(value: unknown, textMentions: readonly Mention[]): Mention[] {
  const listedMentions = tagsByType(value, "Mention").flatMap(({ name, href }): Mention[] => {
    const address = asHttpUrl(href);
    const username = readQualifiedAcct(name, address === null ? "" : new URL(address).host);
    return username === null ? [] : [{ username, userId: null }];
  });
  const names = new Set(
    listedMentions.flatMap(({ username }) => {
      const fullHandle = username.toLowerCase();
      return [fullHandle, fullHandle.slice(0, fullHandle.indexOf("@"))];
    }),
  );
  return [
    ...listedMentions,
    ...textMentions.filter(({ username }) => !names.has(username.toLowerCase())),
  ];
}
