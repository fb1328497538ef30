import { isoTime } from "../../lib/iso-time.ts";
import { hasTime, idTimeMs, lastId, parseXId, xUri } from "../../posts/ids.ts";
import type { PostReference } from "../../posts/post.ts";
import type { PlatformDescription } from "../description.ts";
import {
  type ClaimedIdentity,
  type IdentityError,
  type IdentityRules,
  isHttpUrl,
  type RecordIdentity,
} from "../identity.ts";
import { support } from "./support.ts";

/**
 * The native ID comes from a post's id or its page's URL, so no record can claim another's.
 */
export const xIdentity: IdentityRules = {
  identify,
  reference,
  referenceForm: "the ID of an X post as a decimal string",
  isUserId: (text) => /^[1-9]\d{0,18}$/.test(text),
  isPostUri: (text) => parseXId(text) !== null,
};

export const xDescription: PlatformDescription = {
  identity: xIdentity,
  support,
  configuration: {
    user: "earshot credentials add x user-token",
    app: "earshot credentials add x app-token",
  },
  sources: "search X with earshot credentials add x app-token, or add posts with earshot import",
};

const pageAddress =
  /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/?#]+(?:\/web)?\/status(?:es)?\/(\d+)(?:[/?#]|$)/i;

/** Allowed clock skew. A later ID would sort before all future posts. */
const maxAheadMs = 86_400_000;

function identify(claim: ClaimedIdentity): RecordIdentity | IdentityError {
  const claimedId = claim.id ?? idInUrl(claim.uri) ?? idInUrl(claim.url);
  if (claimedId === null) {
    if (claim.uri !== null && !isHttpUrl(claim.uri)) {
      return { field: "uri", expected: "an http or https URL", found: claim.uri };
    }
    return { uri: claim.uri, url: claim.url, nativeId: null, userId: claim.authorId, seenMs: null };
  }
  const id = parseId(claimedId);
  if (id === null) {
    return {
      field: claim.id === null ? "uri" : "id",
      expected: "a post ID from 1 to 2^63 - 1",
      found: claimedId,
    };
  }
  if (hasTime(id) && idTimeMs(id) > claim.nowMs + maxAheadMs) {
    return {
      field: claim.id === null ? "uri" : "id",
      expected: "a post ID whose time is not in the future",
      found: `${claimedId}, of ${isoTime(idTimeMs(id))}`,
    };
  }
  const uri = xUri(id);
  return {
    uri,
    url: claim.url === uri ? null : claim.url,
    nativeId: id,
    userId: claim.authorId,
    seenMs: hasTime(id) ? idTimeMs(id) : null,
  };
}

function reference(text: string): PostReference | null {
  const id = parseId(text);
  return id === null ? null : { id: text, uri: xUri(id), username: null, userId: null };
}

function parseId(text: string): bigint | null {
  if (!/^[1-9]\d{0,18}$/.test(text)) return null;
  const id = BigInt(text);
  return id <= lastId ? id : null;
}

function idInUrl(address: string | null): string | null {
  return address === null ? null : (pageAddress.exec(address)?.[1] ?? null);
}
