import { problem } from "../problems/write-problem.ts";
import { preferredType } from "./accept.ts";

/** The first is the default. */
export const answerFormats = [
  "application/json",
  "application/x-ndjson",
  "text/csv",
  "text/markdown",
] as const;

export type AnswerFormat = (typeof answerFormats)[number];

/** Errors: `not_acceptable`. */
export function negotiate(accept: string | undefined): AnswerFormat {
  const format = preferredType(accept, answerFormats);
  if (format === null) throw notAcceptable();
  return format;
}

function notAcceptable() {
  const supportedFormats = answerFormats.join(", ");
  return problem("not_acceptable", "Accept names no supported format", {
    hint: `accept one of ${supportedFormats}, or omit Accept for JSON`,
    details: [
      {
        code: "not_acceptable",
        message: `supported: ${supportedFormats}`,
        expected: answerFormats,
      },
    ],
  });
}
