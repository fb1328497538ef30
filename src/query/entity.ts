import { foldHandle, foldTag, readCashtag, readHashtag, readMention } from "../text/entities.ts";
import { codePointLength } from "./characters.ts";
import type { BareLeaf } from "./operand.ts";
import type { QueryLeaf } from "./tree.ts";

/** A leaf and where the text goes on behind it, in UTF-16 units. */
export type EntityRead = { leaf: QueryLeaf; end: number };

type Found = { leaf: BareLeaf; end: number };

const did = /[@＠](did:[a-z0-9]+:[a-z0-9._:%-]*[a-z0-9._-])/iy;
const goesOn = /^[\p{Script=Latin}\p{M}]/u;

/** With the small forms of sigils, which no entity holds, made plain. Everything keeps its place. */
export function withPlainSigils(text: string): string {
  return text.replaceAll("\ufe5f", "#").replaceAll("\ufe6b", "@");
}

/**
 * The hashtag, mention or cashtag whose sigil stands at `at` (UTF-16 units) of a term; null when there is none. `text` has plain
 * sigils, `folded` is plain throughout, `offset` is the place of `at` in the query.
 */
export function readEntity(
  text: string,
  folded: string,
  at: number,
  offset: number,
): EntityRead | null {
  const found = readAt(folded[at] ?? "", text, folded, at);
  if (found === null) return null;
  const length = codePointLength(text.slice(at, found.end));
  return { leaf: { ...found.leaf, span: { offset, length } }, end: found.end };
}

function readAt(sigil: string, text: string, folded: string, at: number): Found | null {
  if (sigil === "$") {
    const found = readCashtag(folded, at);
    return (
      found && { leaf: { kind: "cashtag", symbol: found.value.toLowerCase() }, end: found.end }
    );
  }
  if (sigil === "#") {
    const found = unlessGoingOn(text, readHashtag(text, at));
    const tag = foldTag(found?.value ?? "");
    // Some Arabic vowel signs are a space with a sign on it once they are folded: no tag can be named by one.
    return found === null || /\s/u.test(tag)
      ? null
      : { leaf: { kind: "hashtag", tag }, end: found.end };
  }
  if (sigil !== "@") return null;
  did.lastIndex = at;
  const [whole = "", user] = did.exec(text) ?? [];
  if (user !== undefined) return { leaf: { kind: "mention", user }, end: at + whole.length };
  const found = unlessGoingOn(text, readMention(text, at));
  return found && { leaf: { kind: "mention", user: foldHandle(found.value) }, end: found.end };
}

/** `@naïve` mentions nobody: what follows would belong to the word. */
function unlessGoingOn<Found extends { end: number }>(
  text: string,
  found: Found | null,
): Found | null {
  return found === null || goesOn.test(text.slice(found.end, found.end + 2)) ? null : found;
}
