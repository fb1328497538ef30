import { once } from "../../lib/once.ts";

const ellipsis = "…";

/** How far before the cut to look for a space, as a fraction of the text. */
const wordSearchFraction = 0.2;
/** Maximum of that distance, in UTF-16 units. */
const maxWordSearch = 40;
/** UTF-16 units to examine on each side of the cut. */
const graphemeContext = 64;

const graphemes = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** Counts Unicode code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let offset = 0; offset < text.length - 1; offset += 1) {
    if (isPairAt(text, offset)) {
      count -= 1;
      offset += 1;
    }
  }
  return count;
}

/** At most `characters` code points including the `…`, cut at a nearby space or a grapheme boundary. */
export function shortenText(text: string, characters: number): string {
  const cut = unitOffset(text, characters - 1);
  return text.slice(0, wordBoundary(text, cut) ?? graphemeBoundary(text, cut)).trimEnd() + ellipsis;
}

/** UTF-16 units in the first `characters` code points. */
function unitOffset(text: string, characters: number): number {
  let offset = 0;
  for (let remaining = characters; remaining > 0 && offset < text.length; remaining -= 1) {
    offset += isPairAt(text, offset) ? 2 : 1;
  }
  return offset;
}

function wordBoundary(text: string, cut: number): number | null {
  const reach = Math.min(maxWordSearch, Math.floor(cut * wordSearchFraction));
  for (let offset = cut; offset > cut - reach; offset -= 1) {
    if (/\s/.test(text.charAt(offset))) return offset;
  }
  return null;
}

function graphemeBoundary(text: string, cut: number): number {
  let start = Math.max(0, cut - graphemeContext);
  if (start > 0 && isPairAt(text, start - 1)) start -= 1;
  const context = text.slice(start, cut + graphemeContext);
  const boundary =
    graphemes()
      .segment(context)
      .containing(cut - start)?.index ?? 0;
  return boundary === 0 ? cut : start + boundary;
}

function isPairAt(text: string, offset: number): boolean {
  return (
    (text.charCodeAt(offset) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(offset + 1) & 0xfc00) === 0xdc00
  );
}
