import { accountNamed } from "./account-routes.ts";
import { accountJson, statusJson } from "./entities.ts";
import { compareIds } from "./ids.ts";
import { accountAcct } from "./mark-up.ts";
import type { Account, Status } from "./network.ts";
import { readLimit } from "./paging.ts";
import { type EmulatedResponse, ok, responses } from "./responses.ts";
import { authorizationError, type EmulatedRequest, isVisible, type Route } from "./route.ts";
import { readSearchQuery, type SearchQuery, splitWords, stemWord } from "./search-query.ts";

/** https://docs.joinmastodon.org/methods/search/ and https://docs.joinmastodon.org/user/network/#search */
export const searchRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v2\/search$/, respond: search },
];

function search(request: EmulatedRequest): EmulatedResponse {
  const { query, token } = request;
  const error = authorizationError(request, { scope: "read:search", kind: "any" });
  if (error !== null) return error;
  const text = query.get("q")?.trim();
  if (!text) return responses.parameterRequired("q");
  const type = query.get("type");
  const isUser = (token?.accountId ?? null) !== null;
  if (!isUser && (query.get("resolve") === "true" || Number(query.get("offset") ?? 0) > 0)) {
    return responses.userRequired;
  }
  return ok({
    accounts: type === null || type === "accounts" ? accountsFor(text, request) : [],
    statuses: (type === null || type === "statuses") && isUser ? statusesFor(text, request) : [],
    hashtags: [],
  });
}

const page = <T>(items: readonly T[], { query }: EmulatedRequest): T[] => {
  const offset = query.has("type") ? Number(query.get("offset") ?? 0) : 0;
  return items.slice(offset, offset + readLimit(query, { defaultLimit: 20, maxLimit: 40 }));
};

function accountsFor(text: string, request: EmulatedRequest) {
  const { network, query } = request;
  const handle = text.replace(/^@/, "").toLowerCase();
  if (query.get("resolve") === "true") {
    const remote = [...network.accounts.values()].find(
      (account) => accountAcct(account).toLowerCase() === handle,
    );
    if (remote !== undefined) remote.isKnown = true;
  }
  const accounts = [...network.accounts.values()].filter(
    (account) => account.isKnown && accountAcct(account).toLowerCase().includes(handle),
  );
  return page(accounts, request).map((account: Account) => accountJson(account, request));
}

function statusesFor(text: string, request: EmulatedRequest) {
  const { network, query, settings } = request;
  if (query.get("resolve") === "true" && /^https?:\/\//.test(text)) {
    const remoteStatus = [...network.statuses.values()].find(({ uri }) => uri === text);
    const localStatus = [...network.statuses.values()].find((status) => {
      const json = statusJson(status, request);
      return json?.uri === text || json?.url === text;
    });
    const found = remoteStatus ?? localStatus;
    if (found === undefined) return [];
    found.isKnown = true;
    return isVisible(found, request) ? [statusJson(found, request)] : [];
  }
  if (!settings.hasSearch) return [];
  const searchQuery = readSearchQuery(text);
  const maxId = query.get("max_id");
  const statuses = [...network.statuses.values()]
    .filter(({ id }) => maxId === null || compareIds(id, maxId) < 0)
    .filter((status) => isSearchable(status, request) && matches(status, searchQuery, request))
    .sort((a, b) => compareIds(b.id, a.id));
  return page(statuses, request).map((status) => statusJson(status, request));
}

/** Public posts of authors who opted in, and posts that involve the user. */
function isSearchable(status: Status, request: EmulatedRequest): boolean {
  const { network, token, settings } = request;
  if (!isVisible(status, request) || status.reblogOfId !== null) return false;
  const viewerId = token?.accountId ?? "";
  const isOwn = status.accountId === viewerId || status.mentionIds.includes(viewerId);
  if (isOwn || settings.differences.searchesOwnOnly) return isOwn;
  return (
    status.visibility === "public" && network.accounts.get(status.accountId)?.indexable === true
  );
}

function matches(
  status: Status,
  { terms, filters }: SearchQuery,
  request: EmulatedRequest,
): boolean {
  const texts = [
    status.spoilerText,
    status.text,
    ...(status.pollOptions ?? []),
    ...status.media.map(({ description }) => description ?? ""),
  ];
  const words = texts.map(splitWords);
  const stems = new Set(words.flat().map(stemWord));
  return (
    terms.every(({ kind, text, isExcluded }) => {
      if (kind === "hashtag") {
        return status.tags.some((tag) => tag.toLowerCase() === text.toLowerCase()) !== isExcluded;
      }
      const queryWords = splitWords(text);
      const isMatch =
        kind === "phrase"
          ? words.some((word) => containsPhrase(word, queryWords))
          : queryWords.every((word) => stems.has(stemWord(word)));
      return isMatch !== isExcluded;
    }) &&
    filters.every(
      ({ name, value, isExcluded }) => passesFilter(status, name, value, request) !== isExcluded,
    )
  );
}

const containsPhrase = (words: readonly string[], phrase: readonly string[]): boolean =>
  phrase.length > 0 &&
  words.some((_, start) => phrase.every((word, index) => words[start + index] === word));

function passesFilter(
  status: Status,
  name: string,
  value: string,
  request: EmulatedRequest,
): boolean {
  const day = Date.parse(`${value}T00:00:00Z`);
  switch (name) {
    case "from":
      return accountNamed(value, request)?.id === status.accountId;
    case "language":
      return status.language === value;
    case "has":
      return value === "media"
        ? status.media.length > 0
        : value === "poll"
          ? status.pollOptions !== null
          : value === "embed" && status.cardUrl !== null;
    case "is":
      return value === "reply"
        ? status.inReplyToId !== null
        : value === "sensitive" && status.sensitive;
    case "before":
      return status.createdMs < day;
    case "after":
      return status.createdMs >= day + 86_400_000;
    case "during":
      return status.createdMs >= day && status.createdMs < day + 86_400_000;
    default:
      return true;
  }
}
