import * as z from "zod";
import { longestCursor } from "../../jobs/cursor.ts";
import { methodNames } from "../../platforms/methods.ts";
import { typeNames } from "../source-types.ts";
import { closedObject, wording, wordOf } from "./words.ts";

const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: "expected an ISO 8601 date or a time with its zone, such as 2026-01-31T12:00:00Z",
  })
  .meta({ examples: ["2026-01-31T12:00:00Z"] });

export const wholeNumber = wording(
  "expected a whole number",
  "write it in digits and without quotes, such as 20",
);

export const queryText = wording(
  "expected the query as a string",
  'put it in quotes, such as "comet lang:en"',
);

const cursorText = wording(
  "expected the cursor of an earlier result",
  "send X-Next-Cursor exactly as it was received",
);

const argumentsNeeded = {
  what: "argument",
  needed: "expected an object of arguments",
  hint: 'send "arguments":{"type":"searchbyquery","query":"comet"}',
};

const searchArguments = closedObject(argumentsNeeded, {
  type: wordOf("method", methodNames, 'send "type":"searchbyquery" in arguments').meta({
    description: "The method.",
    examples: ["searchbyquery"],
  }),
  query: z
    .string(queryText)
    .optional()
    .meta({
      description:
        "What to search, with operators; with the methods that do not search the account, the post or the space that is meant, by handle, id, uri or the address of its page.",
      examples: ["comet lang:en"],
    }),
  max_results: z
    .int(wholeNumber)
    .optional()
    .meta({
      description: "Records wanted: 1 to 100, to 500 with searchbyfullarchive; 20 when absent.",
      examples: [20],
    }),
  next_cursor: z
    .string(cursorText)
    .max(longestCursor, cursorText)
    .optional()
    .meta({ description: "The X-Next-Cursor of an earlier result of the same search." }),
  start_time: moment
    .optional()
    .meta({ description: "Only posts from this moment on. Of the methods that search alone." }),
  end_time: moment
    .optional()
    .meta({ description: "Only posts before this moment. Of the methods that search alone." }),
  sort: z
    .enum(["newest"], { error: 'the only order there is so far is "newest"' })
    .optional()
    .meta({ description: "The order of the result. Of the methods that search alone." }),
  count: z
    .int(wholeNumber)
    .optional()
    .meta({ description: "Taken for max_results when that is missing." }),
}).meta({ id: "SearchArguments" });

const bodyNeeded = {
  what: "field",
  needed: "expected a JSON object",
  hint: 'send {"type":"social","arguments":{"type":"searchbyquery","query":"comet"}}',
};

const examplesOfSubmission = {
  examples: [
    {
      type: "social",
      arguments: { type: "searchbyquery", query: "comet lang:en", max_results: 20 },
    },
    { type: "social", arguments: { type: "gettweets", query: "@ann.bsky.social" } },
  ],
};

export const submission = closedObject(bodyNeeded, {
  type: wordOf("type", typeNames, 'send "type":"social"').meta({
    description: "Which sources may be asked.",
    examples: ["social"],
  }),
  arguments: searchArguments,
}).meta({ id: "SearchSubmission", ...examplesOfSubmission });

export type Submission = z.infer<typeof submission>;

/** A value that may also be written as nothing: it then counts as absent. */
function emptyable<Schema extends z.ZodType>(schema: Schema) {
  return z
    .preprocess((given) => (isEmpty(given) ? undefined : given), schema)
    .optional()
    .meta({ ...schema.meta(), [emptyMark]: [...emptyValues] });
}

const emptyValues: readonly unknown[] = ["", 0, null];
/** In the description of a schema: the values that it takes besides those of its type. */
export const emptyMark = "x-empty";

function isEmpty(value: unknown): boolean {
  return emptyValues.includes(value);
}

const { count, start_time, end_time, next_cursor } = searchArguments.shape;

/** As clients of the paths without a platform word send it: some arguments that are empty count as absent. */
export const plainSubmission = closedObject(bodyNeeded, {
  ...submission.shape,
  arguments: closedObject(argumentsNeeded, {
    ...searchArguments.shape,
    count: emptyable(count),
    start_time: emptyable(start_time),
    end_time: emptyable(end_time),
    next_cursor: emptyable(next_cursor),
  }).meta({ id: "PlainSearchArguments" }),
}).meta({ id: "PlainSearchSubmission", ...examplesOfSubmission });
