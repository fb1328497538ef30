import type { PostReference } from "../../posts/post.ts";
import { importedUri, parseBlueskyUrl } from "../../posts/references.ts";
import type { PlatformDescription } from "../description.ts";
import {
  type ClaimedIdentity,
  type IdentityError,
  type IdentityRules,
  isUri,
  type RecordIdentity,
} from "../identity.ts";
import { isDid, parseAtUri, tidMs } from "./at-uri.ts";
import { blueskySupport } from "./support.ts";

/** The authority of the at:// URI must be the author's DID. */
const blueskyIdentity: IdentityRules = {
  identify,
  reference,
  referenceForm: "a post's uri, at://did:…/collection/key, or its id",
  isUserId: (text) => text.startsWith("did:"),
  isPostUri: () => true,
};

export const blueskyDescription: PlatformDescription = {
  identity: blueskyIdentity,
  support: blueskySupport,
  configuration: {
    user: "earshot credentials add bluesky app-password",
    public: "EARSHOT_BLUESKY_PUBLIC=on",
  },
  sources:
    "set EARSHOT_INGEST=bluesky to follow its stream, or add posts with earshot backfill or earshot import",
};

function identify(claim: ClaimedIdentity): RecordIdentity | IdentityError {
  const { authorId, uri } = claim;
  if (authorId !== null && !isDid(authorId)) {
    return { field: "author_id", expected: "a DID such as did:plc:…", found: authorId };
  }
  if (uri === null) {
    const imported = claim.id === null ? null : importedUri("bluesky", claim.id);
    return { uri: imported, url: claim.url, nativeId: null, userId: authorId, seenMs: null };
  }
  const parts = parseAtUri(uri);
  if (parts === null) return { field: "uri", expected: "at://did:…/collection/key", found: uri };
  if (authorId !== null && authorId !== parts.did) {
    return { field: "uri", expected: `a uri of the author ${authorId}`, found: uri };
  }
  return {
    uri,
    url: claim.url,
    nativeId: null,
    userId: parts.did,
    seenMs: tidMs(parts.rkey),
  };
}

function reference(text: string): PostReference | null {
  const uri = parseBlueskyUrl(text) ?? text;
  if (!uri.startsWith("at://")) {
    const identifiers = isUri(text)
      ? { id: null, uri: text }
      : { id: text, uri: importedUri("bluesky", text) };
    return { ...identifiers, username: null, userId: null };
  }
  const parts = parseAtUri(uri);
  return parts === null ? null : { id: null, uri, username: null, userId: parts.did };
}
