import type * as z from "zod";
import type { SourceAnswer } from "../../platforms/source.ts";
import { withoutControls } from "../../text/controls.ts";
import { answerRefused } from "./errors.ts";
import { knowledgeShape, packed, readAs, unpacked, writtenAs } from "./wire.ts";

/** What a node knows of its answer: all of it but the items. */
export type Knowledge = Omit<SourceAnswer, "items">;

const mostCharacters = 4_194_304;

/** What is known of an answer, as text: what is signed beside the body. Errors: what the gateway would not read. */
export function knowledgeText(answer: Knowledge): string {
  const { next, nextPlace = null } = answer;
  return writtenAs(knowledgeShape, { ...answer, next: packed(next), nextPlace });
}

/**
 * What a text says. Texts that are shown to people come without control characters. Errors: `answer_refused` with
 * `knowledge_malformed` for anything but what `knowledgeText` writes.
 */
export function readKnowledge(text: string): Knowledge {
  const read = readAs(knowledgeShape, text, mostCharacters);
  if (read === null) {
    throw answerRefused("knowledge_malformed", "what is told of the answer cannot be read");
  }
  return { ...read, next: unpacked(read.next), warnings: read.warnings.map(cleanWarning) };
}

type Warning = z.infer<typeof knowledgeShape>["warnings"][number];

const cleanWarning = ({ message, hint, ...rest }: Warning): Warning => ({
  ...rest,
  message: withoutControls(message),
  ...(hint === undefined ? {} : { hint: withoutControls(hint) }),
});
