import * as z from "zod";
import { maxCursorLength } from "../../jobs/cursor.ts";
import { methodNames } from "../../platforms/methods.ts";
import { typeNames } from "../submission/source-types.ts";
import { closedObject, errorWithHint, namedEnum } from "./words.ts";

const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: "expected an ISO 8601 date or a time with its zone, such as 2026-01-31T12:00:00Z",
  })
  .meta({ examples: ["2026-01-31T12:00:00Z"] });

export const wholeNumberError = errorWithHint(
  "expected a whole number",
  "use digits without quotes, such as 20",
);

export const queryTextError = errorWithHint(
  "expected a string",
  'use quotes, such as "comet lang:en"',
);

const cursorError = errorWithHint(
  "expected the cursor of an earlier result",
  "send X-Next-Cursor unchanged",
);

const argumentErrors = {
  kind: "argument",
  message: "expected an object of arguments",
  hint: 'send "arguments":{"type":"searchbyquery","query":"comet"}',
};

function orEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z
    .preprocess((value) => (isEmpty(value) ? undefined : value), schema.optional())
    .optional()
    .meta({ ...schema.meta(), [emptyValuesKey]: [...emptyValues] });
}

const emptyValues: readonly unknown[] = ["", 0, null];
/** Annotation: empty values that are also accepted. */
export const emptyValuesKey = "x-empty";

function isEmpty(value: unknown): boolean {
  return emptyValues.includes(value);
}

/** Some clients send empty values for optional arguments. */
const argumentShape = {
  query: z
    .string(queryTextError)
    .optional()
    .meta({
      description:
        "Search methods: words and operators. Other methods: an account, post or space, by handle, id, uri or URL.",
      examples: ["comet lang:en"],
    }),
  max_results: z
    .int(wholeNumberError)
    .optional()
    .meta({
      description: "Maximum records: 1 to 100, searchbyfullarchive 1 to 500; default: 20.",
      examples: [20],
    }),
  next_cursor: orEmpty(
    z
      .string(cursorError)
      .max(maxCursorLength, cursorError)
      .meta({ description: "The X-Next-Cursor of an earlier result of the same search." }),
  ),
  start_time: orEmpty(
    moment.meta({
      description: "Only posts from this time on. Search methods only.",
    }),
  ),
  end_time: orEmpty(
    moment.meta({
      description: "Only posts before this time. Search methods only.",
    }),
  ),
  sort: z
    .enum(["newest"], { error: 'the only supported order is "newest"' })
    .optional()
    .meta({ description: "The order of the result. Search methods only." }),
  count: orEmpty(z.int(wholeNumberError).meta({ description: "Used if max_results is absent." })),
};

const searchArguments = closedObject(argumentErrors, {
  type: namedEnum("method", methodNames, 'send "type":"searchbyquery" in arguments')
    .default("searchbyquery")
    .meta({ description: "The method.", examples: ["searchbyquery"] }),
  ...argumentShape,
}).meta({ id: "SearchArguments" });

const bodyErrors = {
  kind: "field",
  message: "expected a JSON object",
  hint: 'send {"type":"social","arguments":{"type":"searchbyquery","query":"comet"}}',
};

const sourceType = namedEnum("type", typeNames, 'send "type":"social"').meta({
  description: "The platforms to search.",
  examples: ["social"],
});

export function submissionForms<const Shape extends z.core.$ZodLooseShape>(
  id: string,
  errors: typeof bodyErrors,
  otherFields: Shape,
  examples: readonly unknown[],
) {
  const nestedForm = closedObject(errors, {
    type: sourceType,
    arguments: searchArguments,
    ...otherFields,
  });
  const flatForm = closedObject(errors, {
    type: sourceType.default("social"),
    ...argumentShape,
    query: argumentShape.query.unwrap(),
    ...otherFields,
  });
  const flatExample = { query: "comet lang:en", max_results: 20 };
  return z
    .union([
      nestedForm.meta({ id, examples: [...examples] }),
      flatForm.meta({ id: `Flat${id}`, examples: [flatExample] }),
    ])
    .meta({ examples: [...examples, flatExample] });
}

export const submission = submissionForms("SearchSubmission", bodyErrors, {}, [
  { type: "social", arguments: { type: "searchbyquery", query: "comet lang:en", max_results: 20 } },
  { type: "social", arguments: { type: "gettweets", query: "@ann.bsky.social" } },
]);

export type Submission = {
  type: string;
  arguments: z.infer<typeof searchArguments>;
  argumentsPointer: "/arguments" | "";
};

/** The flat form means `searchbyquery`. */
export function readSubmission(body: z.infer<typeof submission>): Submission {
  if ("arguments" in body)
    return { type: body.type, arguments: body.arguments, argumentsPointer: "/arguments" };
  const { type, ...rest } = body;
  return { type, arguments: { type: "searchbyquery", ...rest }, argumentsPointer: "" };
}
