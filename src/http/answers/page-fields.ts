import type { FastifyReply } from "fastify";
import { serializeDictionary } from "../../lib/structured-fields.ts";
import { type AnswerPage, pageWarnings } from "./page.ts";
import { setKnowledgeFields } from "./result-fields.ts";

/** Structured fields (RFC 9651) except for the cursor. */
export function setPageFields(reply: FastifyReply, page: AnswerPage): void {
  const { result, posts, omitted, nextCursor } = page;
  setKnowledgeFields(reply, { ...result, warnings: pageWarnings(page) });
  if (nextCursor !== null) reply.header("x-next-cursor", nextCursor);
  const shortened = posts.filter((post) => post.shortenedFrom !== null).length;
  if (shortened > 0 || omitted > 0) {
    const truncated = { shortened: { value: shortened }, omitted: { value: omitted } };
    reply.header("x-truncated", serializeDictionary(truncated));
  }
}
