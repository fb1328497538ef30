import { truncated } from "../operators/operand.ts";
import { findMentions } from "../text/entities.ts";
import { findLinks } from "../text/links.ts";
import { closingQuoteOf } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { TermContext } from "./term-context.ts";

export function warnNoWordsInQuotes(context: TermContext, text: string, span: QuerySpan): void {
  if (closingQuoteOf(context.source.folded[span.offset] ?? "") === null) return;
  warnNoWords(context, text, span);
}

/** Links and mentions are not indexed as words. Returns whether there is one. */
export function warnNoWords(context: TermContext, text: string, span: QuerySpan): boolean {
  const [link] = findLinks(text);
  const [mention] = link === undefined ? findMentions(text, { dottedHandles: true }) : [];
  const entity = link ?? mention;
  if (entity === undefined) return false;
  const entityText = text.slice(entity.start, entity.end);
  const what = link === undefined ? "mention" : "link";
  context.report("not_a_word", span, {
    message: `${truncated(entityText)} is a ${what}, and ${what}s are not indexed as words`,
    hint: `write it outside the quotes: ${truncated(entityText)}`,
  });
  return true;
}
