import type { PostReference } from "../../posts/post.ts";
import { importedUri } from "../../posts/references.ts";
import { asFields, isObject } from "../fields.ts";
import { type AccountNames, qualifyId, readAccountNames, readLocalId } from "./account.ts";
import { asHttpUrl } from "./http-url.ts";
import type { KnownMention } from "./status-entities.ts";

type Fields = Record<string, unknown>;

/** Some servers omit the URI. */
export function statusIdentity({ uri, url }: Fields): string | null {
  return asHttpUrl(uri) ?? asHttpUrl(url);
}

/** The parent is known by its id on this server, its author by id or mention. */
export function parentReference(
  status: Fields,
  context: {
    instance: string;
    author: AccountNames;
    mentions: readonly KnownMention[];
  },
): PostReference | null {
  const { instance, author, mentions } = context;
  const id = readLocalId(status.in_reply_to_id);
  if (id === null) return null;
  const accountId = readLocalId(status.in_reply_to_account_id);
  const userId = accountId === null ? null : qualifyId(accountId, instance);
  const mentionedName = mentions.find((mention) => mention.accountId === accountId)?.mention
    .username;
  const username = userId === author.userId ? author.username : (mentionedName ?? null);
  return {
    id,
    uri: importedUri("mastodon", id, instance),
    username: userId === null ? null : username,
    userId,
  };
}

/**
 * Null unless the quoted author has accepted the quote. Older servers embed the quoted status in
 * `quote`.
 */
export function readQuoted(value: unknown, instance: string): PostReference | null {
  const quote = asFields(value);
  if (quote.state !== undefined && quote.state !== "accepted") return null;
  const status = isObject(quote.quoted_status) ? quote.quoted_status : quote;
  const id = readLocalId(quote.quoted_status_id) ?? readLocalId(status.id);
  const uri = statusIdentity(status);
  if (uri !== null) {
    const author = readAccountNames(status.account, instance);
    return { id, uri, username: author?.username ?? null, userId: author?.userId ?? null };
  }
  if (id === null) return null;
  return { id, uri: importedUri("mastodon", id, instance), username: null, userId: null };
}
