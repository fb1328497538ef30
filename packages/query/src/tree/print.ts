import { isDoubleQuote } from "./source.ts";
import type { CountMetric, QueryLeaf, QueryNode } from "./tree.ts";

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

export const countOperators: Record<CountMetric, string> = {
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
    case "cashtag":
      return `$${leaf.symbol}`;
    case "mention":
      return `@${leaf.user}`;
    case "from":
    case "to":
      return `${leaf.kind}:${leaf.user}`;
    case "quoted-user":
      return `quoted_user_id:${leaf.user}`;
    case "retweets-of":
      return `retweets_of:${leaf.user}`;
    case "related":
      return `${leaf.relation}:${/^[0-9]+$/.test(leaf.post) ? leaf.post : quote(leaf.post)}`;
    case "lang":
      return `lang:${leaf.code}`;
    case "since":
    case "until":
      return `${leaf.kind}:${printTime(leaf.ms)}`;
    case "within":
      return `within_time:${printDuration(leaf.ms)}`;
    case "since-id":
      return `since_id:${leaf.id}`;
    case "max-id":
      return `max_id:${leaf.id}`;
    case "property":
      return `filter:${leaf.property}`;
    case "min-count":
      return `${countOperators[leaf.metric]}:${leaf.atLeast}`;
    case "geocode":
      return `geocode:${formatDecimal(leaf.lat)},${formatDecimal(leaf.lon)},${formatDecimal(leaf.radiusKm)}km`;
    case "url":
      return `url:${quote(leaf.text)}`;
    case "domain":
      return `domain:${leaf.host}`;
    case "platform":
      return `platform:${leaf.platform}`;
    case "label":
      return `label:${quote(leaf.label)}`;
    case "source":
      return `source:${quote(leaf.name)}`;
    case "emoticon":
      return leaf.text;
    case "question":
      return "?";
  }
}

function quote(text: string): string {
  const escaped = Array.from(text, (character) =>
    character === "\\" || isDoubleQuote(character) ? `\\${character}` : character,
  );
  return `"${escaped.join("")}"`;
}

function printTime(ms: number): string {
  const iso = new Date(ms).toISOString();
  if (ms % 86_400_000 === 0) return iso.slice(0, 10);
  if (ms % 1000 !== 0) return iso;
  return `${iso.slice(0, 10)}_${iso.slice(11, 19)}_UTC`;
}

function printDuration(ms: number): string {
  const [unit, length] = units.find(([, length]) => ms % length === 0) ?? ["ms", 1];
  return `${ms / length}${unit}`;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Without an exponent, but parses to the same number. */
function formatDecimal(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e-");
  if (exponent === undefined) return mantissa;
  const digits = mantissa.replace(/[-.]/g, "");
  return `${value < 0 ? "-" : ""}0.${"0".repeat(Number(exponent) - 1)}${digits}`;
}
