import { phraseSequence, querySequence } from "../text/sequence.ts";
import { urlQueryTokens } from "../text/urls.ts";
import type { QueryNode } from "../tree/tree.ts";

/** Words in a word, phrase or link (characters in scripts without spaces); else 1. */
export function countTerms(node: QueryNode): number {
  switch (node.kind) {
    case "and":
    case "or":
      return node.children.reduce((sum, child) => sum + countTerms(child), 0);
    case "not":
      return countTerms(node.child);
    case "word":
      return Math.max(1, querySequence(node.text).length);
    case "phrase":
      return Math.max(1, phraseSequence(node.text).length);
    case "url":
      return Math.max(1, urlQueryTokens(node.text).length);
    default:
      return 1;
  }
}
