import type { PostReference } from "../../posts/post.ts";
import {
  type ClaimedIdentity,
  type Identity,
  type IdentityFault,
  type IdentityRules,
  isWebAddress,
} from "../identity.ts";

/**
 * Identity on Mastodon: the uri of the post, a web address. A number belongs to one server alone: without a uri it counts
 * together with the server that the author's handle names.
 */
export const mastodonIdentity: IdentityRules = {
  identify,
  reference,
  referenceForm: "a post's uri, or its id on its server",
};

function identify(claim: ClaimedIdentity): Identity | IdentityFault {
  if (claim.uri !== null && !isWebAddress(claim.uri)) {
    return { field: "uri", expected: "an http or https address", found: claim.uri };
  }
  const uri = claim.uri ?? claim.url ?? uriOfNumber(claim);
  return {
    uri,
    url: claim.url === uri ? null : claim.url,
    nativeId: null,
    userId: claim.authorId,
    seenMs: null,
  };
}

function uriOfNumber({ id, author }: ClaimedIdentity): string | null {
  if (id === null) return null;
  const server = author.includes("@") ? author.slice(author.lastIndexOf("@") + 1) : "";
  return `import:mastodon:${id}@${server.toLowerCase()}`;
}

function reference(text: string): PostReference | null {
  const reference = { id: null, uri: null, username: null, userId: null };
  return isWebAddress(text) ? { ...reference, uri: text } : { ...reference, id: text };
}
