import { readPost, readUser } from "@earshot/query";
import { accountById } from "@earshot/query/facets";
import type { FetchMethod } from "../../platforms/methods.ts";
import type { Coverage, SourceAnswer } from "../../platforms/source.ts";
import type { PostTarget, Target, UserTarget } from "../../platforms/target.ts";
import { hasTime, idTimeMs, parseXId, tidMs, xUri } from "../../posts/ids.ts";
import { blueskyUri, importedUri } from "../../posts/references.ts";
import type { UpstreamJob } from "../../upstream/requests/sessions.ts";
import { searchArchive } from "../archive/search.ts";
import { staleWarning } from "../archive/unchecked-posts.ts";
import type { AnswerContext } from "../context.ts";
import { derivedAnswer, isDerived } from "./derived-answer.ts";
import type { FetchRequest } from "./fetch-request.ts";

const archivedMethods: readonly FetchMethod[] = ["getbyid", "getreplies", "gettweets", "getmedia"];

export const isAnsweredByArchive = (method: FetchMethod): boolean =>
  archivedMethods.includes(method) || isDerived(method);

/** False for names that no operator can contain, such as `ann-b` without a server. */
export const isSearchableTarget = (method: FetchMethod, target: Target | null): boolean =>
  target === null || method === "getbyid" || methodQuery(method, target) !== null;

export async function archivedAnswer(
  context: AnswerContext,
  request: FetchRequest,
  job: UpstreamJob,
): Promise<SourceAnswer | null> {
  const { target = null, method } = request;
  if (method === "gettrends") return await derivedAnswer(context, request, null, job);
  if (!isAnsweredByArchive(method) || target === null) return null;
  if (method === "getbyid") {
    return target.kind === "post" ? await archivedPost(context, request, target) : null;
  }
  const query = methodQuery(method, target);
  if (query === null) return null;
  if (isDerived(method)) return await derivedAnswer(context, request, query.query, job);
  return await searchArchive(
    { ...context.source, account: job.accountId },
    { ...request, query: query.query, fromMs: query.fromMs },
    job.deadlineMs,
    job.signal,
  );
}

/**
 * The answer is complete only for a stored post that its stream has followed: others may exist or
 * have changed.
 */
async function archivedPost(
  { source }: AnswerContext,
  { platform, asOfMs }: FetchRequest,
  target: PostTarget,
): Promise<SourceAnswer> {
  const { archive } = source;
  const uris = await findUris(archive, target);
  const candidates = uris.map((uri) => ({ platform, uri, timeMs: uriTime(uri) ?? asOfMs }));
  const identifiedPosts = await archive.identify(candidates);
  const storedPost = identifiedPosts.find(({ isStored }) => isStored);
  const items = storedPost === undefined ? [] : [{ platform, id: storedPost.id }];
  const warning =
    storedPost === undefined ? null : await staleWarning(source, { platform, id: storedPost.id });
  const coverage = unboundedCoverage(asOfMs, storedPost !== undefined && warning === null);
  return {
    items,
    next: null,
    complete: coverage.complete,
    coverage,
    sources: [{ platform, via: "archive", fromMs: null, toMs: asOfMs, count: items.length }],
    warnings: warning === null ? [] : [warning],
  };
}

async function findUris(
  archive: AnswerContext["source"]["archive"],
  { platform, uri, id, url, handle, key }: PostTarget,
): Promise<readonly string[]> {
  if (uri !== null) return [uri];
  if (platform === "x" && id !== null) return [xUri(id)];
  if (handle !== null && key !== null) {
    const { accounts } = await archive.resolve({ accounts: [handle], posts: [] });
    const prefix = accountById("bluesky", "did:");
    return (accounts.get(handle) ?? [])
      .filter((name) => name.startsWith(prefix))
      .map((name) => blueskyUri(name.slice(prefix.length - "did:".length), key));
  }
  return url === null ? [] : [url];
}

function uriTime(uri: string): number | null {
  const number = parseXId(uri);
  if (number !== null) return hasTime(number) ? idTimeMs(number) : null;
  return uri.startsWith("at://") ? tidMs(uri.slice(uri.lastIndexOf("/") + 1)) : null;
}

/** Replies are not older than their post. */
export const earliestMatchMs = (method: FetchMethod, target: Target): number | null =>
  methodQuery(method, target)?.fromMs ?? null;

function methodQuery(
  method: FetchMethod,
  target: Target,
): { query: string; fromMs: number | null } | null {
  if (target.kind === "user") {
    const name = userName(target);
    if (name === null) return null;
    const query = `from:${name}`;
    return { query: method === "getmedia" ? `${query} filter:media` : query, fromMs: null };
  }
  if (target.kind !== "post" || (method !== "getreplies" && method !== "getretweeters"))
    return null;
  const names = postNames(target);
  const [firstName] = names;
  if (firstName === undefined) return null;
  const operators =
    method === "getreplies"
      ? ["in_reply_to_tweet_id", "conversation_id"]
      : ["retweets_of_tweet_id"];
  const clauses = names.flatMap((name) => {
    const operand = `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
    return operators.map((operator) => `${operator}:${operand}`);
  });
  if (method === "getretweeters") return { query: clauses.join(" OR "), fromMs: null };
  const query = `(${clauses.join(" OR ")}) filter:replies`;
  const uri = target.platform === "x" && target.id !== null ? xUri(target.id) : firstName;
  return { query, fromMs: uriTime(uri) };
}

function postNames({ platform, uri, id, host, url }: PostTarget): readonly string[] {
  const serverUri =
    platform === "mastodon" && id !== null && host !== null
      ? importedUri("mastodon", id, host)
      : null;
  const names = serverUri === null ? [uri ?? id ?? url] : [uri, serverUri];
  return names
    .filter((name) => name !== null)
    .filter((name) => "value" in readPost("in_reply_to_tweet_id", name));
}

function userName({ id, handle }: UserTarget): string | null {
  const name = id ?? handle;
  return name !== null && "value" in readUser("from", name) ? name : null;
}

function unboundedCoverage(toMs: number, complete: boolean): Coverage {
  return {
    fromMs: null,
    toMs,
    complete,
    gaps: complete ? [] : [{ fromMs: null, toMs }],
    truncated: false,
    platforms: [],
  };
}
