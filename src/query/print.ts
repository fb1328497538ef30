import { isDoubleQuote } from "./characters.ts";
import type { CountMetric, QueryLeaf, QueryNode } from "./tree.ts";

/**
 * The canonical text of a tree: every `and` inside an `or` and the reverse stands in parentheses, names are the specification's,
 * times are UTC. Parsing it gives the same tree.
 */
export function printQuery(tree: QueryNode): string {
  if (tree.kind === "and") return tree.children.map(printOperand).join(" ");
  if (tree.kind === "or") return tree.children.map(printOperand).join(" OR ");
  if (tree.kind === "not") return `-${printOperand(tree.child)}`;
  return printLeaf(tree);
}

function printOperand(node: QueryNode): string {
  const text = printQuery(node);
  return node.kind === "and" || node.kind === "or" ? `(${text})` : text;
}

const metricNames: Record<CountMetric, string> = {
  likes: "min_faves",
  reposts: "min_retweets",
  replies: "min_replies",
  quotes: "min_quotes",
};

function printLeaf(leaf: QueryLeaf): string {
  switch (leaf.kind) {
    case "word":
      return leaf.text;
    case "phrase":
      return quote(leaf.text);
    case "hashtag":
      return `#${leaf.tag}`;
    case "mention":
      return `@${leaf.user}`;
    case "from":
    case "to":
      return `${leaf.kind}:${leaf.user}`;
    case "lang":
      return `lang:${leaf.code}`;
    case "since":
    case "until":
      return `${leaf.kind}:${printTime(leaf.ms)}`;
    case "property":
      return `filter:${leaf.property}`;
    case "min-count":
      return `${metricNames[leaf.metric]}:${leaf.atLeast}`;
    case "geocode":
      return `geocode:${decimal(leaf.lat)},${decimal(leaf.lon)},${decimal(leaf.radiusKm)}km`;
    case "url":
      return `url:${quote(leaf.text)}`;
    case "question":
      return "?";
  }
}

/** In double quotes, with backslashes and all that would close the quotation escaped. */
function quote(text: string): string {
  const escaped = Array.from(text, (character) =>
    character === "\\" || isDoubleQuote(character) ? `\\${character}` : character,
  );
  return `"${escaped.join("")}"`;
}

/** A time as `since:` and `until:` take it, in its shortest exact form. */
function printTime(ms: number): string {
  const iso = new Date(ms).toISOString();
  if (ms % 86_400_000 === 0) return iso.slice(0, 10);
  if (ms % 1000 !== 0) return iso;
  return `${iso.slice(0, 10)}_${iso.slice(11, 19)}_UTC`;
}

function decimal(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toFixed(20).replace(/0+$/, "") : text;
}
