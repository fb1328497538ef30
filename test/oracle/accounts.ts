import type { AnalyzedPost, Person } from "./analyze.ts";
import { foldHandle } from "./text.ts";
import type { OracleContext } from "./types.ts";

/** What a name in a query refers to. */
type Account = {
  name: string;
  isAuthorHandle: boolean;
  ids: Set<string>;
  /** Handles of the account, if the name is its id. */
  handles: Set<string>;
};

function readAccount(value: string, context: OracleContext): Account {
  const name = foldHandle(value.replace(/^[@＠]/, ""));
  const account: Account = { name, isAuthorHandle: false, ids: new Set(), handles: new Set() };
  for (const { platform, user_id, handle } of context.authors) {
    const [id, writtenHandle] = [user_id ? foldHandle(user_id) : null, foldHandle(handle)];
    if (writtenHandle === name) {
      account.isAuthorHandle = true;
      if (id) account.ids.add(`${platform}/${id}`);
    }
    if (id === name) account.handles.add(`${platform}/${writtenHandle}`);
  }
  return account;
}

/** Names also match the handle as written in mentions, replies, quotes and reposts. */
function isAccount(account: Account, person: Person | null, asWritten: boolean): boolean {
  if (!person) return false;
  const { platform, id, handle } = person;
  if (asWritten && handle === account.name) return true;
  if (account.isAuthorHandle) {
    return id === null ? handle === account.name : account.ids.has(`${platform}/${id}`);
  }
  if (id === account.name) return true;
  if (id !== null || handle === null) return false;
  return handle === account.name || account.handles.has(`${platform}/${handle}`);
}

export function authorTest(value: string, context: OracleContext): (post: AnalyzedPost) => boolean {
  const account = readAccount(value, context);
  return (post) => isAccount(account, post.author, false);
}

export function personTest(
  value: string,
  context: OracleContext,
  peopleOf: (post: AnalyzedPost) => (Person | null)[],
): (post: AnalyzedPost) => boolean {
  const account = readAccount(value, context);
  return (post) => peopleOf(post).some((someone) => isAccount(account, someone, true));
}

const blueskyPage = /^https?:\/\/(?:www\.)?bsky\.app\/profile\/([^/]+)\/post\/([^/?#]+)/i;

function findIds(handle: string, platform: string, context: OracleContext): string[] {
  const name = foldHandle(handle);
  return context.authors.flatMap((author) =>
    author.platform === platform && author.user_id && foldHandle(author.handle) === name
      ? [author.user_id]
      : [],
  );
}

export function blueskyPageUris(address: string, context: OracleContext): string[] {
  const [, handleOrDid, key] = blueskyPage.exec(address) ?? [];
  if (!handleOrDid || !key) return [];
  const dids = handleOrDid.startsWith("did:")
    ? [handleOrDid]
    : findIds(handleOrDid, "bluesky", context);
  return dids.map((did) => `at://${did}/app.bsky.feed.post/${key}`);
}
