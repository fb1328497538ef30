import { isIdentityError } from "../../platforms/identity.ts";
import { platformDescriptions } from "../../platforms/registry.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import { answerRefused } from "./errors.ts";

type ReportedNames = {
  origin: string | null;
  is_retweet: boolean | null;
  reposted: { uri: string | null; userId: string | null } | null;
};

type PostName = Pick<FetchedItem, "platform" | "id" | "uri" | "userId">;

/**
 * Later deletions compare uri and account literally, so both must be canonical. Imports may omit
 * the account or use an `import:` uri.
 */
export function checkPostNames(item: PostName, reportedNames: ReportedNames): void {
  const { platform, uri, userId } = item;
  if (uri === null) throw nameMissing();
  if (reportedNames.origin === "import") {
    if (uri.startsWith(`import:${platform}:`)) return;
    // Bluesky's uris contain the account.
    if (platform === "bluesky" && userId === null) throw nameMissing();
    if (!isNamed(item)) throw nameMalformed();
    return;
  }
  if (userId === null) throw nameMissing();
  if (!hasCanonicalNames(item)) throw nameMalformed();
  if (reportedNames.is_retweet !== true) return;
  const { uri: originalUri = null, userId: authorId = null } = reportedNames.reposted ?? {};
  if (originalUri === null) throw nameMissing();
  if (!isNamed({ platform, id: null, uri: originalUri, userId: authorId })) throw nameMalformed();
}

function hasCanonicalNames(item: PostName): boolean {
  const { platform, uri, userId } = item;
  const { isUserId, isPostUri } = platformDescriptions[platform].identity;
  return isUserId(userId ?? "") && isNamed(item) && isPostUri(uri ?? "");
}

function isNamed({ platform, id, uri, userId }: PostName): boolean {
  const identity = platformDescriptions[platform].identity.identify({
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

export const nameMissing = () => answerRefused("name_missing", "a record has no uri or no account");

const nameMalformed = () =>
  answerRefused("name_malformed", "a record has a malformed uri or account");
