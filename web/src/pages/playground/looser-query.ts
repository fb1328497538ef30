import { printQuery, type QueryNode } from "@earshot/query/tree";

const wordKinds: ReadonlySet<string> = new Set([
  "word",
  "phrase",
  "hashtag",
  "or",
  "and",
  "question",
]);

/** The query without its language, or else its last filter; null if it has neither. */
export function withoutOneFilter(tree: QueryNode): { removed: string; query: string } | null {
  if (tree.kind !== "and") return null;
  const filter =
    tree.children.find(({ kind }) => kind === "lang") ??
    tree.children.findLast(({ kind }) => !wordKinds.has(kind));
  if (filter === undefined) return null;
  const children = tree.children.filter((child) => child !== filter);
  return { removed: printQuery(filter), query: printQuery({ ...tree, children }) };
}
