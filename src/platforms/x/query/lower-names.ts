import type { ResolvedNames } from "@earshot/query/plan";
import { isUsername } from "../json.ts";
import { allOf, anyOf, type Expression, matchAll, negation, standaloneTerm } from "./expression.ts";

/** An account with more names is not enumerated. */
const maxNames = 20;

function userAccounts(user: string, { accounts }: ResolvedNames) {
  const handles = new Set<string>();
  const ids = new Set<string>();
  const bareName = user.replace(/^@/, "").toLowerCase();
  if (isUsername(bareName)) handles.add(bareName);
  for (const key of accounts.get(user) ?? []) {
    const [, sigil, name = ""] = /^x\/([@?]?)(.+)$/.exec(key) ?? [];
    if (sigil === "" && /^\d{1,19}$/.test(name)) ids.add(name);
    if (sigil !== "" && isUsername(name)) handles.add(name);
  }
  return { handles: [...handles], ids: [...ids].filter((id) => !handles.has(id)) };
}

type AccountOperator = "from" | "to" | "retweets_of";

export function accountTerms(
  operator: AccountOperator,
  user: string,
  names: ResolvedNames,
): Expression {
  const { handles, ids } = userAccounts(user, names);
  const accountNames = [...handles, ...ids];
  if (accountNames.length > maxNames) return matchAll;
  return anyOf(accountNames.map((name) => standaloneTerm(`${operator}:${name}`)));
}

/** Drops all-digit usernames, which X also reads as another account's id. */
export function withoutAccount(
  operator: AccountOperator,
  user: string,
  names: ResolvedNames,
): Expression {
  const handles = userAccounts(user, names).handles.filter((name) => !/^\d+$/.test(name));
  if (handles.length > maxNames) return matchAll;
  return allOf(handles.map((name) => negation(standaloneTerm(`${operator}:${name}`))));
}

/** X accepts only usernames. */
export function mentionTerms(user: string, names: ResolvedNames): Expression {
  const { handles, ids } = userAccounts(user, names);
  if (handles.length > maxNames) return matchAll;
  if (handles.length === 0 && ids.length > 0) return matchAll;
  return anyOf(handles.map((name) => standaloneTerm(`@${name}`)));
}

const relationOperators = {
  conversation_id: "conversation_id",
  in_reply_to: "in_reply_to_tweet_id",
  quoted: "quotes_of_tweet_id",
  retweets_of_tweet_id: "retweets_of_tweet_id",
} as const;

export function relatedTerms(
  relation: keyof typeof relationOperators,
  post: string,
  { posts }: ResolvedNames,
): Expression {
  const ids = (posts.get(post) ?? []).flatMap((key) => /^x\/(\d{1,19})$/.exec(key)?.[1] ?? []);
  const operator = relationOperators[relation];
  return anyOf(ids.map((id) => standaloneTerm(`${operator}:${id}`)));
}

export function negate(expression: Expression): Expression {
  switch (expression.kind) {
    case "none":
      return matchAll;
    case "term":
      return negation(expression);
    case "or":
      return allOf(expression.parts.map(negate));
    default:
      return matchAll;
  }
}
