import { xUri } from "../../posts/ids.ts";
import type { Mention, PostReference } from "../../posts/post.ts";
import { asFields, list } from "../fields.ts";
import type { Includes } from "./includes.ts";
import { firstPresent, readIdText, readUsername } from "./json.ts";

const referenceTypes = ["replied_to", "quoted", "retweeted"] as const;
type References = Record<(typeof referenceTypes)[number], PostReference | null>;

/** Finds the authors in includes, links, mentions or the text. */
export function readReferences(
  fields: Record<string, unknown>,
  { mentions, urls }: { mentions: readonly Mention[]; urls: readonly string[] },
  includes: Includes,
): References {
  const references: References = { replied_to: null, quoted: null, retweeted: null };
  for (const item of list(firstPresent(fields, "referenced_tweets", "referenced_posts"), 10)) {
    const { type, id: referencedId } = asFields(item);
    const id = readIdText(referencedId);
    const kind = referenceTypes.find((other) => other === type);
    if (id === null || kind === undefined || references[kind] !== null) continue;
    references[kind] = { id, uri: xUri(id), ...postAuthor(includes.posts.get(id), includes) };
    if (kind === "quoted" && references.quoted?.username === null) {
      references.quoted.username = handleInLink(urls, id);
    }
    if (kind === "retweeted" && references.retweeted?.userId === null) {
      Object.assign(references.retweeted, repostedUser(fields.text, mentions));
    }
  }
  return references;
}

type Author = Pick<PostReference, "username" | "userId">;

function postAuthor(post: Record<string, unknown> | undefined, { users }: Includes): Author {
  const userId = readIdText(post?.author_id);
  const user = userId === null ? undefined : users.get(userId);
  return { username: readUsername(user?.username), userId };
}

function handleInLink(urls: readonly string[], id: string): string | null {
  for (const url of urls) {
    const [, name, number] =
      /^https:\/\/(?:x|twitter)\.com\/(\w{1,15})\/status\/(\d+)/i.exec(url) ?? [];
    if (number === id && name !== undefined && name !== "i") return name;
  }
  return null;
}

/** The original's author, whose name starts a repost's text. */
function repostedUser(text: unknown, mentions: readonly Mention[]): Author {
  const name = typeof text === "string" ? /^RT @(\w{1,15}):/.exec(text)?.[1] : undefined;
  if (name === undefined) return { username: null, userId: null };
  const mention = mentions.find(({ username }) => username.toLowerCase() === name.toLowerCase());
  return { username: mention?.username ?? name, userId: mention?.userId ?? null };
}

export function replyReference(
  fields: Record<string, unknown>,
  parent: PostReference | null,
  author: { username: string; userId: string },
  mentions: readonly Mention[],
): PostReference | null {
  const userId = readIdText(fields.in_reply_to_user_id) ?? parent?.userId ?? null;
  if (parent === null && userId === null) return null;
  const mentionedUser = mentions.find(
    (mention) => mention.userId !== null && mention.userId === userId,
  );
  const ownUsername = userId === author.userId ? author.username || null : null;
  return {
    id: parent?.id ?? null,
    uri: parent?.uri ?? null,
    username: parent?.username ?? mentionedUser?.username ?? ownUsername,
    userId,
  };
}
