import { identityRules } from "../../platforms/identities.ts";
import { isFault } from "../../platforms/identity.ts";
import { webAddress } from "../../platforms/mastodon/web-address.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import { xIdOf } from "../../posts/ids.ts";
import { answerRefused } from "./errors.ts";

/** What a record says of the names of its post, and of the post that it reposts. */
type ToldNames = {
  origin: string | null;
  is_retweet: boolean | null;
  reposted: { uri: string | null; user_id: string | null } | null;
};

/** Whose post, and which. */
type PostName = Pick<FetchedItem, "platform" | "id" | "uri" | "userId">;

/**
 * Whether a post is called as the readers of its platform call it: what is deleted or hidden later is found by uri and account,
 * letter by letter, and a repost by those of its original. A file that was imported may leave the account out, and call a post
 * by a name of its own. Errors: `answer_refused` with `name_missing` or `name_malformed`.
 */
export function checkPostNames(item: PostName, told: ToldNames): void {
  if (told.origin === "import") {
    checkImported(item);
    return;
  }
  if (item.uri === null || item.userId === null) throw nameMissing();
  if (!isNamedAsRead(item)) throw nameMalformed();
  const { is_retweet: isRepost, reposted } = told;
  if (isRepost !== true) return;
  const { platform } = item;
  const { uri = null, user_id: userId = null } = reposted ?? {};
  if (uri === null) throw nameMissing();
  if (!isNamed({ platform, id: null, uri, userId })) throw nameMalformed();
}

function checkImported(item: PostName): void {
  const { platform, uri, userId } = item;
  if (uri === null) throw nameMissing();
  if (uri.startsWith(`import:${platform}:`)) return;
  // An account that Bluesky's uris tell is never left out.
  if (platform === "bluesky" && userId === null) throw nameMissing();
  if (!isNamed(item)) throw nameMalformed();
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
  if (isFault(identity) || identity.uri !== uri) return false;
  return id === null || identity.nativeId === null || identity.nativeId === id;
}

export const nameMissing = () =>
  answerRefused("name_missing", "an item of the answer does not tell which post, or whose");

const nameMalformed = () =>
  answerRefused(
    "name_malformed",
    "an item of the answer has a name that its platform does not write so",
  );
