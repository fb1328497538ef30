import * as z from "zod";
import { longestCursor } from "../../jobs/cursor.ts";
import { methodNames } from "../../platforms/methods.ts";
import { typeNames } from "../submission/source-types.ts";
import { closedObject, enumOf, errorWithHint } from "./words.ts";

const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: "expected an ISO 8601 date or a time with its zone, such as 2026-01-31T12:00:00Z",
  })
  .meta({ examples: ["2026-01-31T12:00:00Z"] });

export const wholeNumber = errorWithHint(
  "expected a whole number",
  "use digits without quotes, such as 20",
);

export const queryText = errorWithHint("expected a string", 'use quotes, such as "comet lang:en"');

const cursorText = errorWithHint(
  "expected the cursor of an earlier result",
  "send X-Next-Cursor unchanged",
);

const argumentsNeeded = {
  what: "argument",
  needed: "expected an object of arguments",
  hint: 'send "arguments":{"type":"searchbyquery","query":"comet"}',
};

function emptyable<Schema extends z.ZodType>(schema: Schema) {
  return z
    .preprocess((value) => (isEmpty(value) ? undefined : value), schema.optional())
    .optional()
    .meta({ ...schema.meta(), [emptyMark]: [...emptyValues] });
}

const emptyValues: readonly unknown[] = ["", 0, null];
/** Annotation: empty values that are also accepted. */
export const emptyMark = "x-empty";

function isEmpty(value: unknown): boolean {
  return emptyValues.includes(value);
}

/** Clients send some of these arguments empty. */
const argumentShape = {
  query: z
    .string(queryText)
    .optional()
    .meta({
      description:
        "Search methods: words and operators. Other methods: an account, post or space, by handle, id, uri or URL.",
      examples: ["comet lang:en"],
    }),
  max_results: z
    .int(wholeNumber)
    .optional()
    .meta({
      description: "Maximum records: 1 to 100, searchbyfullarchive 1 to 500; default: 20.",
      examples: [20],
    }),
  next_cursor: emptyable(
    z
      .string(cursorText)
      .max(longestCursor, cursorText)
      .meta({ description: "The X-Next-Cursor of an earlier result of the same search." }),
  ),
  start_time: emptyable(
    moment.meta({
      description: "Only posts from this time on. Search methods only.",
    }),
  ),
  end_time: emptyable(
    moment.meta({
      description: "Only posts before this time. Search methods only.",
    }),
  ),
  sort: z
    .enum(["newest"], { error: 'the only order there is so far is "newest"' })
    .optional()
    .meta({ description: "The order of the result. Search methods only." }),
  count: emptyable(z.int(wholeNumber).meta({ description: "Used if max_results is absent." })),
};

const searchArguments = closedObject(argumentsNeeded, {
  type: enumOf("method", methodNames, 'send "type":"searchbyquery" in arguments')
    .default("searchbyquery")
    .meta({ description: "The method.", examples: ["searchbyquery"] }),
  ...argumentShape,
}).meta({ id: "SearchArguments" });

const bodyNeeded = {
  what: "field",
  needed: "expected a JSON object",
  hint: 'send {"type":"social","arguments":{"type":"searchbyquery","query":"comet"}}',
};

const sourceType = enumOf("type", typeNames, 'send "type":"social"').meta({
  description: "The platforms to search.",
  examples: ["social"],
});

export function submissionForms<const Shape extends z.core.$ZodLooseShape>(
  id: string,
  needed: typeof bodyNeeded,
  more: Shape,
  examples: readonly unknown[],
) {
  const whole = closedObject(needed, { type: sourceType, arguments: searchArguments, ...more });
  const flat = closedObject(needed, {
    type: sourceType.default("social"),
    ...argumentShape,
    query: argumentShape.query.unwrap(),
    ...more,
  });
  const flatExample = { query: "comet lang:en", max_results: 20 };
  return z
    .union([
      whole.meta({ id, examples: [...examples] }),
      flat.meta({ id: `Flat${id}`, examples: [flatExample] }),
    ])
    .meta({ examples: [...examples, flatExample] });
}

export const submission = submissionForms("SearchSubmission", bodyNeeded, {}, [
  { type: "social", arguments: { type: "searchbyquery", query: "comet lang:en", max_results: 20 } },
  { type: "social", arguments: { type: "gettweets", query: "@ann.bsky.social" } },
]);

export type Submission = {
  type: string;
  arguments: z.infer<typeof searchArguments>;
  at: "/arguments" | "";
};

/** The flat form means `searchbyquery`. */
export function submissionOf(body: z.infer<typeof submission>): Submission {
  if ("arguments" in body) return { type: body.type, arguments: body.arguments, at: "/arguments" };
  const { type, ...rest } = body;
  return { type, arguments: { type: "searchbyquery", ...rest }, at: "" };
}
