import type { BareLeaf } from "../operators/operand.ts";
import { foldHandle, foldTag, readCashtag, readHashtag, readMention } from "../text/entities.ts";
import { codePointLength } from "../tree/source.ts";
import type { QueryLeaf } from "../tree/tree.ts";

/** `end` is a UTF-16 offset. */
export type QueryEntity = { leaf: QueryLeaf; end: number };

type Found = { leaf: BareLeaf; end: number };

const did = /[@＠](did:[a-z0-9]+:[a-z0-9._:%-]*[a-z0-9._-])/iy;
const continuation = /^[\p{Script=Latin}\p{M}]/u;

export function withPlainSigils(text: string): string {
  return text.replaceAll("\ufe5f", "#").replaceAll("\ufe6b", "@");
}

/**
 * `text` has plain sigils, `folded` is fully folded. `at` is in UTF-16 code units, `offset` in code
 * points.
 */
export function readEntity(
  text: string,
  folded: string,
  position: number,
  offset: number,
): QueryEntity | null {
  const found = readBareEntity(folded[position] ?? "", text, folded, position);
  if (found === null) return null;
  const length = codePointLength(text.slice(position, found.end));
  return { leaf: { ...found.leaf, span: { offset, length } }, end: found.end };
}

function readBareEntity(sigil: string, text: string, folded: string, offset: number): Found | null {
  if (sigil === "$") {
    const found = readCashtag(folded, offset);
    return (
      found && { leaf: { kind: "cashtag", symbol: found.value.toLowerCase() }, end: found.end }
    );
  }
  if (sigil === "#") {
    const found = unlessContinued(text, readHashtag(text, offset));
    const tag = foldTag(found?.value ?? "");
    // Folding turns some Arabic vowel signs into a space and a mark.
    return found === null || /\s/u.test(tag)
      ? null
      : { leaf: { kind: "hashtag", tag }, end: found.end };
  }
  if (sigil !== "@") return null;
  did.lastIndex = offset;
  const [whole = "", user] = did.exec(text) ?? [];
  if (user !== undefined) return { leaf: { kind: "mention", user }, end: offset + whole.length };
  const found = unlessContinued(text, readMention(text, offset));
  return found && { leaf: { kind: "mention", user: foldHandle(found.value) }, end: found.end };
}

/** `@naïve` is not a mention: the name continues beyond a handle's characters. */
function unlessContinued<Found extends { end: number }>(
  text: string,
  found: Found | null,
): Found | null {
  return found === null || continuation.test(text.slice(found.end, found.end + 2)) ? null : found;
}
