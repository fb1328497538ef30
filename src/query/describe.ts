import { printQuery } from "./print.ts";
import type { QueryLeaf, QueryNode } from "./tree.ts";

/** The tree drawn as indented text, one node a line, leaves in plain words; for `earshot explain`. */
export function describeTree(tree: QueryNode): string {
  return describeNode(tree).join("\n");
}

function describeNode(node: QueryNode): string[] {
  if (node.kind === "and") return ["all of", ...branches(node.children)];
  if (node.kind === "or") return ["any of", ...branches(node.children)];
  if (node.kind === "not") return ["not", ...branches([node.child])];
  return [describeLeaf(node)];
}

function branches(children: readonly QueryNode[]): string[] {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    const [first = "", ...rest] = describeNode(child);
    return [
      `${isLast ? "└─" : "├─"} ${first}`,
      ...rest.map((line) => `${isLast ? "  " : "│ "} ${line}`),
    ];
  });
}

function describeLeaf(leaf: QueryLeaf): string {
  switch (leaf.kind) {
    case "word":
      return `word ${leaf.text}`;
    case "phrase":
      return `phrase ${printQuery(leaf)}`;
    case "hashtag":
      return `hashtag #${leaf.tag}`;
    case "mention":
      return `mention of @${leaf.user}`;
    case "from":
      return `posted by ${leaf.user}`;
    case "to":
      return `directed to ${leaf.user}`;
    case "lang":
      return `language ${leaf.code}`;
    case "since":
      return `at or after ${new Date(leaf.ms).toISOString()}`;
    case "until":
      return `before ${new Date(leaf.ms).toISOString()}`;
    case "property":
      return leaf.property === "retweets" ? "a repost" : "not marked as sensitive";
    case "min-count":
      return `at least ${leaf.atLeast} ${leaf.metric}`;
    case "geocode":
      return `within ${leaf.radiusKm} km of latitude ${leaf.lat}, longitude ${leaf.lon}`;
    case "url":
      return `URL holding ${leaf.text}`;
    case "question":
      return "a question mark";
  }
}
