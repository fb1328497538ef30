import {
  fromAccount,
  hashtag,
  isQuestion,
  isRepost,
  isSensitive,
  language,
  linkPart,
  mentionsAccount,
  toAccount,
} from "../text/facets.ts";
import { phraseSequence, querySequence, type SequenceElement } from "../text/sequence.ts";
import { urlQueryTokens } from "../text/urls.ts";
import type { PlanNode } from "./plan.ts";
import type { PostProperty, QueryLeaf, QueryNode } from "./tree.ts";

/** For each name that a query gives of an account, all accounts it can stand for, as facets hold them. */
export type Accounts = ReadonlyMap<string, readonly string[]>;

/** The names of accounts that a query holds (`from:`, `to:`, `@`), each once: what has to be resolved before planning. */
export function accountNames(tree: QueryNode): string[] {
  const names = new Set<string>();
  const visit = (node: QueryNode): void => {
    if (node.kind === "and" || node.kind === "or") node.children.forEach(visit);
    else if (node.kind === "not") visit(node.child);
    else if (node.kind === "from" || node.kind === "to" || node.kind === "mention") {
      names.add(node.user);
    }
  };
  visit(tree);
  return [...names];
}

/** The plan of a query. A name that `accounts` does not hold stands for nobody. */
export function makePlan(tree: QueryNode, accounts: Accounts): PlanNode {
  switch (tree.kind) {
    case "and":
      return all(tree.children.map((child) => makePlan(child, accounts)));
    case "or":
      return any(tree.children.map((child) => makePlan(child, accounts)));
    case "not":
      return not(makePlan(tree.child, accounts));
    default:
      return leafPlan(tree, accounts);
  }
}

function leafPlan(leaf: QueryLeaf, accounts: Accounts): PlanNode {
  switch (leaf.kind) {
    case "word":
      return sequence(querySequence(leaf.text));
    case "phrase":
      return sequence(phraseSequence(leaf.text));
    case "hashtag":
      return facet(hashtag(leaf.tag));
    case "mention":
      return anyAccount(leaf.user, accounts, mentionsAccount);
    case "from":
      return anyAccount(leaf.user, accounts, fromAccount);
    case "to":
      return anyAccount(leaf.user, accounts, toAccount);
    case "lang":
      return facet(language(leaf.code));
    case "since":
      return { kind: "time", fromMs: leaf.ms, toMs: null };
    case "until":
      return { kind: "time", fromMs: null, toMs: leaf.ms };
    case "property":
      return propertyPlan(leaf.property);
    case "min-count":
      return leaf.atLeast === 0
        ? { kind: "all" }
        : { kind: "min-count", metric: leaf.metric, atLeast: leaf.atLeast };
    case "geocode":
      return { kind: "geo", lat: leaf.lat, lon: leaf.lon, radiusKm: leaf.radiusKm };
    case "url":
      return sequence(urlQueryTokens(leaf.text).map((part) => token(linkPart(part))));
    case "question":
      return facet(isQuestion);
  }
}

function propertyPlan(property: PostProperty): PlanNode {
  switch (property) {
    case "retweets":
      return facet(isRepost);
    case "safe":
      return not(facet(isSensitive));
  }
}

function anyAccount(
  name: string,
  accounts: Accounts,
  facetOf: (account: string) => string,
): PlanNode {
  const keys = accounts.get(name) ?? [];
  return any(keys.map((key) => facet(facetOf(key))));
}

/** Conjunction: flat, without `all`, `none` as soon as one child is. */
export function all(children: readonly PlanNode[]): PlanNode {
  const flat = children
    .flatMap((child) => (child.kind === "and" ? child.children : [child]))
    .filter((child) => child.kind !== "all");
  if (flat.some((child) => child.kind === "none")) return { kind: "none" };
  if (flat.length === 0) return { kind: "all" };
  return flat.length === 1 && flat[0] ? flat[0] : { kind: "and", children: flat };
}

/** Disjunction: flat, without `none`, `all` as soon as one child is. */
export function any(children: readonly PlanNode[]): PlanNode {
  const flat = children
    .flatMap((child) => (child.kind === "or" ? child.children : [child]))
    .filter((child) => child.kind !== "none");
  if (flat.some((child) => child.kind === "all")) return { kind: "all" };
  if (flat.length === 0) return { kind: "none" };
  return flat.length === 1 && flat[0] ? flat[0] : { kind: "or", children: flat };
}

/** Negation; two of them cancel out. */
export function not(child: PlanNode): PlanNode {
  if (child.kind === "all") return { kind: "none" };
  if (child.kind === "none") return { kind: "all" };
  return child.kind === "not" ? child.child : { kind: "not", child };
}

const token = (text: string): SequenceElement => ({ kind: "token", token: text });
const facet = (text: string): PlanNode => sequence([token(text)]);

/** The parser refuses words without anything to search for, so an empty sequence asks for nothing that exists. */
function sequence(elements: readonly SequenceElement[]): PlanNode {
  return elements.length === 0 ? { kind: "none" } : { kind: "terms", elements };
}
