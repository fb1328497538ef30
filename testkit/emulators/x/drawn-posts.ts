import type { QueryNames, ResolvedNames } from "@earshot/query/plan";
import { readIncludes } from "../../../src/platforms/x/includes.ts";
import { readXPost } from "../../../src/platforms/x/read-post.ts";
import { lowestId } from "../../../src/posts/ids.ts";
import type { Post, PostReference } from "../../../src/posts/post.ts";
import { readNamedPost } from "../../../src/posts/references.ts";
import type { EmulatedPost, EmulatedUser, EmulatedWorld } from "./model.ts";
import { fieldNames, postExpansions } from "./parameters.ts";
import { type Naming, showIncludes, showPost } from "./show.ts";

/** A name may be another account's number. */
export const drawnUsers: EmulatedUser[] = [
  { id: "1001", username: "ann", verified: true },
  { id: "4242", username: "Bob" },
  { id: "1003", username: "bobby" },
  { id: "777", username: "4242" },
  { id: "1005", username: "carol" },
];

const findUser = (username: string | null): EmulatedUser | undefined =>
  drawnUsers.find((user) => user.username.toLowerCase() === username?.toLowerCase());

const langsOnX: Readonly<Record<string, string>> = { "zh-CN": "zh", zh_TW: "zh-TW", "pt-BR": "pt" };
const typesOnX = ["photo", "video", "animated_gif"] as const;

/** Drops what X cannot represent. */
export function toEmulatedPost(post: Post, number: number): EmulatedPost {
  const createdMs = post.createdMs ?? 0;
  const author = findUser(post.username) ?? drawnUsers[number % drawnUsers.length];
  const repostedId = getNumber(post.reposted);
  // A repost is not a reply.
  const inReplyTo = repostedId === null ? post.inReplyTo : null;
  const repliedToId = getNumber(inReplyTo);
  const quotedId = getNumber(post.quoted);
  const addressee = findUser(inReplyTo?.username ?? null);
  const lang = post.langs[0];
  return {
    id: String(post.nativeId ?? lowestId(createdMs) + BigInt(number)),
    authorId: author?.id ?? "1001",
    text: post.text.toWellFormed(),
    createdMs,
    ...(lang === undefined ? {} : { lang: langsOnX[lang] ?? lang }),
    ...(isNumber(post.conversationId) ? { conversationId: post.conversationId } : {}),
    ...(addressee === undefined ? {} : { inReplyToUserId: addressee.id }),
    references: [
      ...(repliedToId === null ? [] : [{ type: "replied_to" as const, id: repliedToId }]),
      ...(quotedId === null ? [] : [{ type: "quoted" as const, id: quotedId }]),
      ...(repostedId === null ? [] : [{ type: "retweeted" as const, id: repostedId }]),
    ],
    hashtags: post.hashtags,
    mentions: [...new Set(post.mentions.map(({ username }) => findUser(username)))].flatMap(
      (user) => (user === undefined ? [] : [{ username: user.username, id: user.id }]),
    ),
    urls: [
      ...post.urls.filter((url) => URL.canParse(url)).map((expanded) => ({ expanded })),
      ...(quotedId === null ? [] : [{ expanded: `https://x.com/carol/status/${quotedId}` }]),
    ],
    media: post.media.map(({ alt }, index) => ({
      key: `3_${number}_${index}`,
      type: typesOnX[(number + index) % typesOnX.length] ?? "photo",
      ...(alt === null ? {} : { alt: alt.toWellFormed() }),
    })),
    ...(post.geo === null ? {} : { geo: post.geo }),
    metrics: Object.fromEntries(
      Object.entries(post.counts).flatMap(([name, count]) =>
        count === null ? [] : [[name, count]],
      ),
    ),
    isSensitive: post.sensitive === true,
  };
}

const isNumber = (text: string | null | undefined): text is string =>
  text != null && /^[1-9]\d{0,18}$/.test(text);

const getNumber = (reference: PostReference | null): string | null =>
  isNumber(reference?.id) ? reference.id : null;

export function readBack(post: EmulatedPost, naming: Naming): Post | null {
  const world: EmulatedWorld = { users: drawnUsers, posts: [], spaces: [], trends: [] };
  const allFields = (name: string): Set<string> => new Set(fieldNames[name]);
  const fields = {
    naming,
    postFields: allFields("tweet.fields"),
    userFields: allFields("user.fields"),
    mediaFields: allFields("media.fields"),
    expansions: new Set(postExpansions),
  };
  const includes = readIncludes(showIncludes([post], fields, world));
  return readXPost(JSON.parse(JSON.stringify(showPost(post, fields))), includes);
}

export function namesOnX({ accounts, posts }: QueryNames): ResolvedNames {
  const listKeys = (name: string): string[] => {
    const plainName = name.replace(/^@/, "").toLowerCase();
    const matchingUsers = drawnUsers.filter(
      ({ id, username }) => id === plainName || username.toLowerCase() === plainName,
    );
    return matchingUsers.flatMap(({ id, username }) => [`x/${id}`, `x/@${username.toLowerCase()}`]);
  };
  return {
    accounts: new Map(accounts.map((name) => [name, listKeys(name)])),
    posts: new Map(posts.map((name) => [name, [...readNamedPost(name).keys]])),
  };
}
