import type { FastifyReply } from "fastify";
import { serializeDictionary } from "../../lib/structured-fields.ts";
import { type AnswerPage, warningsOf } from "./page.ts";
import { setKnowledgeFields } from "./result-fields.ts";

/**
 * What an answer tells in its header in every form, as not all forms have a place for it: coverage, the codes of its warnings,
 * what the budget had no room for, and where to go on. Structured fields (RFC 9651) but for the cursor.
 */
export function setPageFields(reply: FastifyReply, page: AnswerPage): void {
  const { result, posts, omitted, nextCursor } = page;
  setKnowledgeFields(reply, { ...result, warnings: warningsOf(page) });
  if (nextCursor !== null) reply.header("x-next-cursor", nextCursor);
  const shortened = posts.filter((post) => post.shortenedFrom !== null).length;
  if (shortened > 0 || omitted > 0) {
    const truncated = { shortened: { value: shortened }, omitted: { value: omitted } };
    reply.header("x-truncated", serializeDictionary(truncated));
  }
}
