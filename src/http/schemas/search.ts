import { nearest } from "@earshot/query";
import * as z from "zod";
import { shortestText } from "../answers/budget.ts";
import { fieldNames } from "../answers/fields.ts";
import { submissionForms } from "./submission.ts";
import { errorWithHint, shortenedName } from "./words.ts";

export const defaultWaitSeconds = 10;
const longestWaitSeconds = 30;
const largestBudget = 1_000_000;

const bodyErrors = {
  kind: "field",
  message: "expected a JSON object",
  hint: 'send {"type":"social","arguments":{"type":"searchbyquery","query":"comet"},"wait":10}',
};

const waitText = errorWithHint(
  `expected a whole number of seconds from 1 to ${longestWaitSeconds}`,
  `send "wait":${defaultWaitSeconds}, or use /v1/search/live for longer searches`,
);

const budgetText = errorWithHint(
  `expected a whole number of characters from ${shortestText} to ${largestBudget}`,
  "omit max_chars for whole texts",
);

const fieldsText = errorWithHint(
  "expected a list of different field names",
  'send "fields":["Content","Metadata.username"], or omit it for whole records',
);

const field = z.enum(fieldNames, {
  error: ({ input }) =>
    typeof input === "string" ? unknownField(input) : "the name of a field must be a string",
});

/** Callers often omit the parents of nested fields. */
function unknownField(name: string): string {
  const shortName = shortenedName(name);
  const [lastPart = ""] = shortName.split(".").slice(-1);
  const suggestion =
    nearest(shortName, fieldNames) ?? fieldWithLastPart(nearest(lastPart, lastParts)) ?? null;
  const unknown = `unknown field ${JSON.stringify(shortName)}`;
  return suggestion === null
    ? `${unknown}, expected ID, Content, Score, Metadata or a field of Metadata such as "Metadata.username"`
    : `${unknown}, did you mean "${suggestion}"?`;
}

const lastPartOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
const lastParts = fieldNames.map(lastPartOf);

function fieldWithLastPart(lastPart: string | null): string | undefined {
  return lastPart === null ? undefined : fieldNames.find((name) => lastPartOf(name) === lastPart);
}

const searchExample = {
  type: "social",
  arguments: { type: "searchbyquery", query: "comet lang:en", max_results: 20 },
  wait: 10,
  fields: ["ID", "Content", "Metadata.username", "Metadata.public_metrics.like_count"],
  max_chars: 8_000,
};

const presentation = {
  wait: z
    .int(waitText)
    .min(1, waitText)
    .max(longestWaitSeconds, waitText)
    .optional()
    .meta({
      description: `Seconds to wait for the end of the job; ${defaultWaitSeconds} when absent.`,
    }),
  fields: z
    .array(field, fieldsText)
    .min(1, fieldsText)
    .max(fieldNames.length, fieldsText)
    .refine((fields) => new Set(fields).size === fields.length, fieldsText)
    .optional()
    .meta({
      description: "Fields of the records to return; default: all.",
      uniqueItems: true,
    }),
  max_chars: z
    .int(budgetText)
    .min(shortestText, budgetText)
    .max(largestBudget, budgetText)
    .optional()
    .meta({ description: "Maximum total length of all texts, in characters." }),
};

export const searchBody = submissionForms("Search", bodyErrors, presentation, [searchExample]);
