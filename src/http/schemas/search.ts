import { nearest } from "@earshot/query";
import * as z from "zod";
import { minTextLength } from "../answers/budget.ts";
import { fieldNames } from "../answers/fields.ts";
import { submissionForms } from "./submission.ts";
import { errorWithHint, shortenedName } from "./words.ts";

export const defaultWaitSeconds = 10;
const maxWaitSeconds = 30;
const maxBudget = 1_000_000;

const bodyErrors = {
  kind: "field",
  message: "expected a JSON object",
  hint: 'send {"type":"social","arguments":{"type":"searchbyquery","query":"comet"},"wait":10}',
};

const waitError = errorWithHint(
  `expected a whole number of seconds from 1 to ${maxWaitSeconds}`,
  `send "wait":${defaultWaitSeconds}, or use /v1/search/live for longer searches`,
);

const budgetError = errorWithHint(
  `expected a whole number of characters from ${minTextLength} to ${maxBudget}`,
  "omit max_chars for whole texts",
);

const fieldsError = errorWithHint(
  "expected a list of different field names",
  'send "fields":["Content","Metadata.username"], or omit it for whole records',
);

const field = z.enum(fieldNames, {
  error: ({ input }) =>
    typeof input === "string" ? unknownField(input) : "a field name must be a string",
});

/** Callers often omit the parents of nested fields. */
function unknownField(name: string): string {
  const shortName = shortenedName(name);
  const [lastPart = ""] = shortName.split(".").slice(-1);
  const suggestion =
    nearest(shortName, fieldNames) ?? fieldWithLastPart(nearest(lastPart, lastParts)) ?? null;
  const prefix = `unknown field ${JSON.stringify(shortName)}`;
  return suggestion === null
    ? `${prefix}, expected ID, Content, Score, Metadata or a field of Metadata such as "Metadata.username"`
    : `${prefix}, did you mean "${suggestion}"?`;
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
    .int(waitError)
    .min(1, waitError)
    .max(maxWaitSeconds, waitError)
    .optional()
    .meta({
      description: `Seconds to wait for the end of the job; ${defaultWaitSeconds} when absent.`,
    }),
  fields: z
    .array(field, fieldsError)
    .min(1, fieldsError)
    .max(fieldNames.length, fieldsError)
    .refine((fields) => new Set(fields).size === fields.length, fieldsError)
    .optional()
    .meta({
      description: "Fields of the records to return; default: all.",
      uniqueItems: true,
    }),
  max_chars: z
    .int(budgetError)
    .min(minTextLength, budgetError)
    .max(maxBudget, budgetError)
    .optional()
    .meta({ description: "Maximum total length of all texts, in characters." }),
};

export const searchBody = submissionForms("Search", bodyErrors, presentation, [searchExample]);
