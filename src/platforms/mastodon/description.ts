import type { PostReference } from "../../posts/post.ts";
import { importedUri } from "../../posts/references.ts";
import type { PlatformDescription } from "../description.ts";
import {
  type ClaimedIdentity,
  type IdentityError,
  type IdentityRules,
  isHttpUrl,
  isUri,
  type RecordIdentity,
} from "../identity.ts";
import { asHttpUrl } from "./http-url.ts";
import { mastodonSupport } from "./support.ts";

/**
 * Identity is the post's URI, a web address. Ids are local: the server in the author's handle
 * qualifies them or, for an account id, the server in the post's address.
 */
const mastodonIdentity: IdentityRules = {
  identify,
  reference,
  referenceForm: "a post's uri, or its id on its server",
  isUserId: (text) => /^[A-Za-z0-9_-]{1,64}@[^\s@/?#]+$/.test(text),
  isPostUri: (text) => asHttpUrl(text) !== null,
};

export const mastodonDescription: PlatformDescription = {
  identity: mastodonIdentity,
  support: mastodonSupport,
  configuration: {
    user: "earshot credentials add mastodon user-token",
    app: "earshot credentials add mastodon app-token",
    public: "EARSHOT_MASTODON_INSTANCE",
  },
  sources:
    "set EARSHOT_MASTODON_STREAM to follow a server's stream, let searches query a server with earshot credentials add mastodon user-token, or add posts with earshot import",
};

function identify(claim: ClaimedIdentity): RecordIdentity | IdentityError {
  if (claim.uri !== null && !isHttpUrl(claim.uri)) {
    return { field: "uri", expected: "an http or https URL", found: claim.uri };
  }
  const uri = claim.uri ?? claim.url ?? numberedUri(claim);
  return {
    uri,
    url: claim.url === uri ? null : claim.url,
    nativeId: null,
    userId: accountId(claim),
    seenMs: null,
  };
}

function accountId(claim: ClaimedIdentity): string | null {
  const { authorId } = claim;
  if (authorId === null || authorId.includes("@") || isHttpUrl(authorId)) return authorId;
  const server = handleServer(claim.author) || addressServer(claim.uri ?? claim.url);
  return server === "" ? authorId : `${authorId}@${server}`;
}

const handleServer = (handle: string): string =>
  handle.includes("@") ? handle.slice(handle.lastIndexOf("@") + 1).toLowerCase() : "";

const addressServer = (address: string | null): string =>
  address === null ? "" : new URL(address).host;

function numberedUri({ id, author }: ClaimedIdentity): string | null {
  return id === null ? null : importedUri("mastodon", id, handleServer(author));
}

function reference(text: string, author: string): PostReference | null {
  const identifiers = isUri(text)
    ? { id: null, uri: text }
    : { id: text, uri: importedUri("mastodon", text, handleServer(author)) };
  return { ...identifiers, username: null, userId: null };
}
