import type { AnalyzedPost, Person } from "./analyze.ts";
import { foldHandle } from "./text.ts";
import type { OracleContext } from "./types.ts";

/** What a name in a query refers to. */
type Account = {
  name: string;
  wrote: boolean;
  ids: Set<string>;
  /** Handles of the account, if the name is its id. */
  handles: Set<string>;
};

function readAccount(value: string, context: OracleContext): Account {
  const name = foldHandle(value.replace(/^[@＠]/, ""));
  const account: Account = { name, wrote: false, ids: new Set(), handles: new Set() };
  for (const { platform, user_id, handle } of context.authors) {
    const [id, written] = [user_id ? foldHandle(user_id) : null, foldHandle(handle)];
    if (written === name) {
      account.wrote = true;
      if (id) account.ids.add(`${platform}/${id}`);
    }
    if (id === name) account.handles.add(`${platform}/${written}`);
  }
  return account;
}

/** Names also match the handle as written in mentions, replies, quotes and reposts. */
function isAccount(account: Account, someone: Person | null, asWritten: boolean): boolean {
  if (!someone) return false;
  const { platform, id, handle } = someone;
  if (asWritten && handle === account.name) return true;
  if (account.wrote) {
    return id === null ? handle === account.name : account.ids.has(`${platform}/${id}`);
  }
  if (id === account.name) return true;
  if (id !== null || handle === null) return false;
  return handle === account.name || account.handles.has(`${platform}/${handle}`);
}

export function byAuthor(value: string, context: OracleContext): (post: AnalyzedPost) => boolean {
  const account = readAccount(value, context);
  return (post) => isAccount(account, post.author, false);
}

export function byNamed(
  value: string,
  context: OracleContext,
  named: (post: AnalyzedPost) => (Person | null)[],
): (post: AnalyzedPost) => boolean {
  const account = readAccount(value, context);
  return (post) => named(post).some((someone) => isAccount(account, someone, true));
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
  const [, who, key] = blueskyPage.exec(address) ?? [];
  if (!who || !key) return [];
  const dids = who.startsWith("did:") ? [who] : findIds(who, "bluesky", context);
  return dids.map((did) => `at://${did}/app.bsky.feed.post/${key}`);
}
