import { identityRules } from "../../platforms/identities.ts";
import { isIdentityError } from "../../platforms/identity.ts";
import { webAddress } from "../../platforms/mastodon/web-address.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import { xIdOf } from "../../posts/ids.ts";
import { answerRefused } from "./errors.ts";

/** What a record says of its origin, and of the post that it reposts. */
type ToldNames = {
  origin: string | null;
  is_retweet: boolean | null;
  reposted: { uri: string | null; userId: string | null } | null;
};

/** Whose post, and which. */
type PostName = Pick<FetchedItem, "platform" | "id" | "uri" | "userId">;

/**
 * Checks that a post is named as the readers of its platform name it: what is deleted or hidden later is found by uri and
 * account, letter by letter, and a repost by those of its original. An imported file may leave the account out, and name a post
 * in its own way. Errors: `answer_refused` with `name_missing` or `name_malformed`.
 */
export function checkPostNames(item: PostName, told: ToldNames): void {
  const { platform, uri, userId } = item;
  if (uri === null) throw nameMissing();
  if (told.origin === "import") {
    if (uri.startsWith(`import:${platform}:`)) return;
    // Bluesky's uris contain the account.
    if (platform === "bluesky" && userId === null) throw nameMissing();
    if (!isNamed(item)) throw nameMalformed();
    return;
  }
  if (userId === null) throw nameMissing();
  if (!isNamedAsRead(item)) throw nameMalformed();
  if (told.is_retweet !== true) return;
  const { uri: original = null, userId: author = null } = told.reposted ?? {};
  if (original === null) throw nameMissing();
  if (!isNamed({ platform, id: null, uri: original, userId: author })) throw nameMalformed();
}

const accountForms = {
  bluesky: /^did:/,
  mastodon: /^[A-Za-z0-9_-]{1,64}@[^\s@/?#]+$/,
  x: /^[1-9]\d{0,18}$/,
} as const;

/** Whether both names have the form that they get where a platform or its stream is read. */
function isNamedAsRead(item: PostName): boolean {
  const { platform, uri, userId } = item;
  if (!accountForms[platform].test(userId ?? "") || !isNamed(item)) return false;
  if (platform === "mastodon") return webAddress(uri) !== null;
  return platform === "bluesky" || xIdOf(uri ?? "") !== null;
}

/** Whether the platform's own rules leave a name as it is, and take it for one of this number and account. */
function isNamed({ platform, id, uri, userId }: PostName): boolean {
  const identity = identityRules[platform].identify({
    id: null,
    uri,
    url: null,
    author: "",
    authorId: userId,
    nowMs: Number.POSITIVE_INFINITY,
  });
  if (isIdentityError(identity) || identity.uri !== uri) return false;
  return id === null || identity.nativeId === null || identity.nativeId === id;
}

export const nameMissing = () =>
  answerRefused("name_missing", "an item of the answer does not tell which post, or whose");

const nameMalformed = () =>
  answerRefused("name_malformed", "an item of the answer has a name that its platform never uses");
