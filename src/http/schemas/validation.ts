import type { FastifySchemaCompiler } from "fastify";
import * as z from "zod";
import type { ErrorDetail } from "../../lib/errors.ts";
import { maxDetails, problem } from "../problems/write-problem.ts";
import { shortenedName, splitHint, unknownMemberMessage } from "./words.ts";

/**
 * Reports at most `maxDetails` errors and truncates names, so that responses are not much larger than
 * requests.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (input: unknown) => {
    const outcome = formFor(schema, input).safeParse(input);
    if (outcome.success) return { value: outcome.data };
    const details = outcome.error.issues.flatMap(listDetails).slice(0, maxDetails);
    return { error: invalidRequest(details, httpPart === "querystring" ? "query string" : "body") };
  };
};

/** The form with most of the body's members. */
function formFor(schema: z.ZodType, input: unknown): z.ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema;
  const forms = schema.options.filter((form) => form instanceof z.ZodObject);
  const members = typeof input === "object" && input !== null ? Object.keys(input) : [];
  const membersIn = ({ shape }: z.ZodObject): number =>
    members.filter((name) => Object.hasOwn(shape, name)).length;
  return forms.reduce((best, form) => (membersIn(form) > membersIn(best) ? form : best));
}

export function invalidRequest(details: readonly ErrorDetail[], location = "body") {
  const first = details[0];
  const message = first ? sentence(first) : `invalid ${location}`;
  const hint = details.find((detail) => detail.hint !== undefined)?.hint;
  return problem("invalid_request", message, { details, ...(hint === undefined ? {} : { hint }) });
}

function sentence({ pointer, message }: ErrorDetail): string {
  return pointer ? `${pointer}: ${message}` : message;
}

function listDetails(issue: z.core.$ZodIssue): readonly ErrorDetail[] {
  const { message: zodMessage, hint } = splitHint(issue.message);
  const help = hint === undefined ? {} : { hint };
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, maxDetails).map((key) => ({
      code: "unknown_argument",
      message: unknownMemberMessage(zodMessage, key),
      pointer: pointerTo([...issue.path, shortenedName(key)]),
      ...help,
    }));
  }
  const message = zodMessage.charAt(0).toLowerCase() + zodMessage.slice(1);
  return [{ code: getCode(issue), message, pointer: pointerTo(issue.path), ...help }];
}

function getCode(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return "wrong_type";
  if (issue.code === "invalid_value") return "unknown_value";
  if (issue.code === "too_big" || issue.code === "too_small") return "out_of_range";
  return "invalid_value";
}

/** A JSON Pointer (RFC 6901). */
function pointerTo(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}
