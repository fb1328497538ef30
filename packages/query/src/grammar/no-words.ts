import { truncated } from "../operators/operand.ts";
import { findMentions } from "../text/entities.ts";
import { findLinks } from "../text/links.ts";
import { querySequence } from "../text/sequence.ts";
import type { Rewrites } from "../tree/diagnostics.ts";
import { findClosingQuote } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { TermContext } from "./term-context.ts";

/** Returns whether there is a link or mention. */
export function warnNoWordsInQuotes(context: TermContext, text: string, span: QuerySpan): void {
  if (findClosingQuote(context.source.folded[span.offset] ?? "") === null) return;
  const found = linkOrMention(text);
  if (found === null) return;
  reportNoWords(context, found, span, `write it outside the quotes: ${truncated(found.text)}`);
}

/** Returns whether there is a link or mention. */
export function warnNoWords(context: TermContext, text: string, span: QuerySpan): boolean {
  const found = linkOrMention(text);
  if (found === null) return false;
  const parts = [found.before, found.text, found.after];
  reportNoWords(context, found, span, {
    lead: "write",
    queries: [parts.filter((part) => querySequence(part).length > 0).join(" ")],
    otherwise: `put spaces around ${truncated(found.text)}`,
  });
  return true;
}

type LinkOrMention = { kind: "link" | "mention"; before: string; text: string; after: string };

function linkOrMention(text: string): LinkOrMention | null {
  const [link] = findLinks(text);
  const [mention] = link === undefined ? findMentions(text, { dottedHandles: true }) : [];
  const entity = link ?? mention;
  if (entity === undefined) return null;
  const { start, end } = entity;
  return {
    kind: link === undefined ? "mention" : "link",
    before: text.slice(0, start),
    text: text.slice(start, end),
    after: text.slice(end),
  };
}

function reportNoWords(
  context: TermContext,
  { kind, text }: LinkOrMention,
  span: QuerySpan,
  hint: string | Rewrites,
): void {
  context.report("not_a_word", span, {
    message: `${truncated(text)} is a ${kind}, and ${kind}s are not indexed as words`,
    hint,
  });
}
