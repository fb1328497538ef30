import { accountNamed } from "./account-routes.ts";
import { type Answer, answers, ok } from "./answers.ts";
import { accountJson, statusJson } from "./entities.ts";
import { compareIds } from "./ids.ts";
import { acctOf } from "./mark-up.ts";
import type { Account, Status } from "./network.ts";
import { limitOf } from "./paging.ts";
import { type EmulatedRequest, isVisible, type Route, refusedWithout } from "./route.ts";
import { readSearchQuery, type SearchQuery, stemOf, wordsOf } from "./search-query.ts";

/** https://docs.joinmastodon.org/methods/search/ and https://docs.joinmastodon.org/user/network/#search */
export const searchRoutes: readonly Route[] = [
  { method: "GET", path: /^\/api\/v2\/search$/, answer: search },
];

function search(requested: EmulatedRequest): Answer {
  const { query, token } = requested;
  const refused = refusedWithout(requested, { scope: "read:search", kind: "anybody" });
  if (refused !== null) return refused;
  const text = query.get("q")?.trim();
  if (!text) return answers.missing("q");
  const type = query.get("type");
  const isUser = (token?.accountId ?? null) !== null;
  if (!isUser && (query.get("resolve") === "true" || Number(query.get("offset") ?? 0) > 0)) {
    return answers.needsUser;
  }
  return ok({
    accounts: type === null || type === "accounts" ? accountsFor(text, requested) : [],
    statuses: (type === null || type === "statuses") && isUser ? statusesFor(text, requested) : [],
    hashtags: [],
  });
}

const page = <T>(items: readonly T[], { query }: EmulatedRequest): T[] => {
  const offset = query.has("type") ? Number(query.get("offset") ?? 0) : 0;
  return items.slice(offset, offset + limitOf(query, { defaultLimit: 20, maxLimit: 40 }));
};

function accountsFor(text: string, requested: EmulatedRequest) {
  const { network, query } = requested;
  const written = text.replace(/^@/, "").toLowerCase();
  if (query.get("resolve") === "true") {
    const far = [...network.accounts.values()].find(
      (each) => acctOf(each).toLowerCase() === written,
    );
    if (far !== undefined) far.isKnown = true;
  }
  const accounts = [...network.accounts.values()].filter(
    (account) => account.isKnown && acctOf(account).toLowerCase().includes(written),
  );
  return page(accounts, requested).map((account: Account) => accountJson(account, requested));
}

function statusesFor(text: string, requested: EmulatedRequest) {
  const { network, query, settings } = requested;
  if (query.get("resolve") === "true" && /^https?:\/\//.test(text)) {
    const far = [...network.statuses.values()].find(({ uri }) => uri === text);
    const own = [...network.statuses.values()].find((status) => {
      const json = statusJson(status, requested);
      return json?.uri === text || json?.url === text;
    });
    const found = far ?? own;
    if (found === undefined) return [];
    found.isKnown = true;
    return isVisible(found, requested) ? [statusJson(found, requested)] : [];
  }
  if (!settings.hasSearch) return [];
  const expected = readSearchQuery(text);
  const below = query.get("max_id");
  const statuses = [...network.statuses.values()]
    .filter(({ id }) => below === null || compareIds(id, below) < 0)
    .filter((status) => isSearched(status, requested) && fits(status, expected, requested))
    .sort((a, b) => compareIds(b.id, a.id));
  return page(statuses, requested).map((status) => statusJson(status, requested));
}

/** Public posts of authors who agreed, and posts that involve the user. */
function isSearched(status: Status, requested: EmulatedRequest): boolean {
  const { network, token, settings } = requested;
  if (!isVisible(status, requested) || status.reblogOfId !== null) return false;
  const me = token?.accountId ?? "";
  const isOwn = status.accountId === me || status.mentionIds.includes(me);
  if (isOwn || settings.differences.searchesOwn) return isOwn;
  return (
    status.visibility === "public" && network.accounts.get(status.accountId)?.indexable === true
  );
}

function fits(
  status: Status,
  { terms, filters }: SearchQuery,
  requested: EmulatedRequest,
): boolean {
  const texts = [
    status.spoilerText,
    status.text,
    ...(status.pollOptions ?? []),
    ...status.media.map(({ description }) => description ?? ""),
  ];
  const words = texts.map(wordsOf);
  const stems = new Set(words.flat().map(stemOf));
  return (
    terms.every(({ kind, text, isExcluded }) => {
      if (kind === "hashtag") {
        return status.tags.some((tag) => tag.toLowerCase() === text.toLowerCase()) !== isExcluded;
      }
      const requested = wordsOf(text);
      const holds =
        kind === "phrase"
          ? words.some((each) => holdsPhrase(each, requested))
          : requested.every((word) => stems.has(stemOf(word)));
      return holds !== isExcluded;
    }) &&
    filters.every(
      ({ name, value, isExcluded }) => passes(status, name, value, requested) !== isExcluded,
    )
  );
}

const holdsPhrase = (words: readonly string[], phrase: readonly string[]): boolean =>
  phrase.length > 0 &&
  words.some((_, start) => phrase.every((word, index) => words[start + index] === word));

function passes(status: Status, name: string, value: string, requested: EmulatedRequest): boolean {
  const day = Date.parse(`${value}T00:00:00Z`);
  switch (name) {
    case "from":
      return accountNamed(value, requested)?.id === status.accountId;
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
