import type { ResolvedNames } from "@earshot/query/plan";
import type { CountMetric, QueryLeaf, QueryNode } from "@earshot/query/tree";
import {
  allOf,
  anyOf,
  dependentTerm,
  type Expression,
  matchAll,
  matchNone,
  negation,
  standaloneTerm,
  type Term,
} from "./expression.ts";
import {
  circleTerm,
  exactPropertyTerms,
  languageTerms,
  propertyTerms,
  textTerms,
  withoutLanguage,
  withoutText,
} from "./lower-leaves.ts";
import { accountTerms, mentionTerms, negate, relatedTerms, withoutAccount } from "./lower-names.ts";

export type Lowering = { names: ResolvedNames; refusedOperators: ReadonlySet<string> };

/**
 * A superset: what X cannot express is widened, and only terms with the same meaning on X are
 * negated.
 */
export function lowerQuery(tree: QueryNode, lowering: Lowering): Expression {
  return lower(tree, false, lowering);
}

function lower(node: QueryNode, isNegated: boolean, lowering: Lowering): Expression {
  switch (node.kind) {
    case "not":
      return lower(node.child, !isNegated, lowering);
    case "and":
    case "or": {
      const parts = node.children.map((child) => lower(child, isNegated, lowering));
      return (node.kind === "and") === isNegated ? anyOf(parts) : allOf(parts);
    }
    default:
      return withoutRefused(
        isNegated ? lowerNegatedLeaf(node, lowering) : lowerLeaf(node, lowering),
        lowering.refusedOperators,
      );
  }
}

function withoutRefused(expression: Expression, refused: ReadonlySet<string>): Expression {
  if (refused.size === 0) return expression;
  switch (expression.kind) {
    case "term":
      return refused.has(formatOperator(expression)) ? matchAll : expression;
    case "and":
      return allOf(expression.parts.map((part) => withoutRefused(part, refused)));
    case "or":
      return expression.parts.some((part) => withoutRefused(part, refused).kind === "all")
        ? matchAll
        : expression;
    default:
      return expression;
  }
}

const formatOperator = ({ text }: Term): string =>
  /^(?:is|has):[a-z_]+|^[a-z_]+(?=:)/.exec(text)?.[0] ?? "";

function lowerLeaf(leaf: QueryLeaf, { names }: Lowering): Expression {
  switch (leaf.kind) {
    case "word":
    case "phrase":
      return textTerms(leaf.text);
    case "hashtag":
      return entityTerm("#", leaf.tag) ?? matchAll;
    case "cashtag":
      return entityTerm("$", leaf.symbol) ?? matchAll;
    case "mention":
      return mentionTerms(leaf.user, names);
    case "from":
    case "to":
      return accountTerms(leaf.kind, leaf.user, names);
    case "retweets-of":
      return accountTerms("retweets_of", leaf.user, names);
    case "quoted-user":
      return dependentTerm("is:quote");
    case "related":
      return relatedTerms(leaf.relation, leaf.post, names);
    case "lang":
      return languageTerms(leaf.code);
    case "property":
      return propertyTerms[leaf.property];
    case "min-count":
      return countTerm(leaf.metric, leaf.atLeast);
    case "geocode":
      return circleTerm(leaf);
    case "url":
      return linkTerm(leaf.text);
    case "domain":
      return linkTerm(leaf.host);
    case "platform":
      return leaf.platform === "x" ? matchAll : matchNone;
    case "label":
      // X has no labels.
      return matchNone;
    case "since":
    case "until":
    case "within":
    case "since-id":
    case "max-id":
    case "source":
    case "emoticon":
    case "question":
      return matchAll;
  }
}

function lowerNegatedLeaf(leaf: QueryLeaf, lowering: Lowering): Expression {
  switch (leaf.kind) {
    case "word":
    case "phrase":
      return withoutText(leaf.text);
    case "from":
    case "to":
      return withoutAccount(leaf.kind, leaf.user, lowering.names);
    case "retweets-of":
      return withoutAccount("retweets_of", leaf.user, lowering.names);
    case "hashtag":
    case "cashtag":
    case "mention":
    case "related":
      return negate(lowerLeaf(leaf, lowering));
    case "lang":
      return withoutLanguage(leaf.code);
    case "property": {
      const term = exactPropertyTerms[leaf.property];
      return term === undefined ? matchAll : negation(term);
    }
    case "min-count":
      return leaf.atLeast === 0 ? matchNone : matchAll;
    case "platform":
      return leaf.platform === "x" ? matchNone : matchAll;
    default:
      return matchAll;
  }
}

function entityTerm(sigil: "#" | "$", name: string): Term | null {
  const pattern =
    sigil === "#" ? /^[\p{L}\p{M}\p{N}_]{1,100}$/u : /^[a-z]{1,6}(?:[._][a-z]{1,2})?$/i;
  return pattern.test(name) ? standaloneTerm(`${sigil}${name}`) : null;
}

const countOperators: Readonly<Record<CountMetric, string | null>> = {
  likes: "min_likes",
  reposts: "min_reposts",
  replies: "min_replies",
  quotes: null,
};

function countTerm(metric: CountMetric, atLeast: number): Expression {
  const operator = countOperators[metric];
  if (atLeast === 0 || operator === null) return matchAll;
  return standaloneTerm(`${operator}:${atLeast}`);
}

/** Only plain ASCII URLs are split into the same tokens on X. */
function linkTerm(text: string): Expression {
  return /^[\w.:/?=&#%+~-]{1,200}$/.test(text) && /[a-z0-9]/i.test(text)
    ? standaloneTerm(`url:"${text}"`)
    : matchAll;
}
