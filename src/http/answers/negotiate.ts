import { problem } from "../problems/write-problem.ts";
import { preferredType } from "./accept.ts";

/** The default first. */
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
  const offered = answerFormats.join(", ");
  return problem("not_acceptable", "the search is not answered in any form that Accept names", {
    hint: `name one of ${offered} in Accept, or leave it out for JSON`,
    details: [
      {
        code: "not_acceptable",
        message: `there are ${offered}`,
        expected: answerFormats,
      },
    ],
  });
}
