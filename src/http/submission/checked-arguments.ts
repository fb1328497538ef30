import type { RequestedBounds } from "../../jobs/job.ts";
import {
  isSearch,
  type Method,
  methods,
  methodsOfType,
  type SourceType,
  typesWithMethod,
} from "../../platforms/methods.ts";
import type { SearchPlatform, SourceWarning } from "../../platforms/source.ts";
import { problem } from "../problems/write-problem.ts";
import type { Submission } from "../schemas/submission.ts";
import { invalidRequest } from "../schemas/validation.ts";
import { narrowedPlatform, parseSourceType } from "./source-types.ts";

export type PathRules = {
  /**
   * A `max_results` up to this is lowered to the method's limit, with a warning; if null, it is
   * rejected.
   */
  clampUpTo: number | null;
};

export const platformPathRules: PathRules = { clampUpTo: null };

/** Clients of this path send 1000 by default. */
export const plainPathRules: PathRules = { clampUpTo: 1_000 };

export type CheckedArguments = {
  platform: SearchPlatform;
  type: SourceType;
  method: Method;
  /** Empty if the method takes no query. */
  query: string;
  maxResults: number;
  nextCursor: string | null;
  bounds: RequestedBounds;
  argumentsPointer: Submission["argumentsPointer"];
  warnings: readonly SourceWarning[];
};

const defaultMaxResults = 20;

export function checkArguments(
  path: SearchPlatform,
  body: Submission,
  rules: PathRules,
): CheckedArguments {
  const { arguments: args, argumentsPointer } = body;
  const { platform, type } = platformAndType(path, body.type);
  const method = supportedMethod(type, args.type);
  const { maxResults, warnings } = requestedResults(method, body, rules);
  // Lone surrogates could neither be stored nor matched by a cursor.
  const query = (args.query ?? "").toWellFormed();
  const needsQuery = methods[method].query !== "none";
  if (needsQuery && query.trim() === "") throw missingQuery(method, `${argumentsPointer}/query`);
  refuseUnusedArguments(method, argumentsPointer, {
    ...args,
    query: query.trim() === "" ? undefined : query,
  });
  return {
    platform,
    type,
    method,
    query: needsQuery ? query : "",
    maxResults,
    nextCursor: args.next_cursor ?? null,
    bounds: { startMs: readTimeMs(args.start_time), endMs: readTimeMs(args.end_time) },
    argumentsPointer,
    warnings,
  };
}

function platformAndType(path: SearchPlatform, name: string) {
  const sourceType = parseSourceType(name);
  if (sourceType === null) throw problem("internal", "unknown type passed the schema");
  const platform = narrowedPlatform(path, sourceType.platform);
  if (platform !== null) return { platform, type: sourceType.type };
  throw problem(
    "platform_mismatch",
    `the path names ${path}, the type "${name}" names ${sourceType.platform}`,
    {
      hint: `use one platform in both, or "${sourceType.type}" as the type`,
      details: [{ code: "platform_mismatch", message: `not ${path}`, pointer: "/type" }],
    },
  );
}

function supportedMethod(type: SourceType, name: string): Method {
  const supportedMethods = methodsOfType(type);
  const method = supportedMethods.find((candidate) => candidate === name);
  if (method !== undefined) return method;
  throw problem("method_not_supported", `${type} does not support ${name}`, {
    hint: `use ${supportedMethods.join(", ")}, or a type that supports ${name}: ${typesWithMethod(name).join(", ")}`,
    details: [
      {
        code: "method_not_supported",
        message: `${type} does not support ${name}`,
        pointer: "/arguments/type",
        expected: supportedMethods,
      },
    ],
  });
}

function requestedResults(
  method: Method,
  { arguments: args, argumentsPointer }: Submission,
  { clampUpTo }: PathRules,
): { maxResults: number; warnings: readonly SourceWarning[] } {
  const requestedCount = args.max_results ?? args.count ?? defaultMaxResults;
  const { bound } = methods[method];
  if (requestedCount >= 1 && requestedCount <= bound)
    return { maxResults: requestedCount, warnings: [] };
  if (clampUpTo !== null && requestedCount > bound && requestedCount <= clampUpTo) {
    const message = `max_results ${requestedCount} was lowered to ${bound}, the maximum of ${method}`;
    return { maxResults: bound, warnings: [{ code: "max_results_lowered", message }] };
  }
  const name = args.max_results === undefined ? "count" : "max_results";
  const rangeText =
    clampUpTo === null
      ? `${method} supports 1 to ${bound}`
      : `this path accepts 1 to ${clampUpTo}, and ${method} supports ${bound}`;
  throw invalidRequest([
    {
      code: "out_of_range",
      message: `${requestedCount} is out of range; ${rangeText}`,
      hint: `send 1 to ${bound}; use next_cursor for more`,
      pointer: `${argumentsPointer}/${name}`,
    },
  ]);
}

function missingQuery(method: Method, pointer: string) {
  const { query } = methods[method];
  return invalidRequest([
    {
      code: "query_required",
      message: `${method} requires a query`,
      hint: `send ${exampleQueries[query]}`,
      pointer,
    },
  ]);
}

const exampleQueries = {
  text: 'a search, such as "comet lang:en"',
  user: 'an account, such as "@ann.bsky.social" or the URL of its profile',
  post: "the ID, uri or URL of a post",
  space: "the id or URL of a space",
  none: "none",
} as const satisfies Record<(typeof methods)[Method]["query"], string>;

function refuseUnusedArguments(
  method: Method,
  argumentsPointer: Submission["argumentsPointer"],
  args: Submission["arguments"],
): void {
  const searchOnlyNames = isSearch(method) ? [] : (["start_time", "end_time", "sort"] as const);
  const names =
    methods[method].query === "none" ? (["query", ...searchOnlyNames] as const) : searchOnlyNames;
  const details = names
    .filter((name) => args[name] !== undefined)
    .map((name) => ({
      code: "not_for_method",
      message: `${method} takes no ${name}`,
      hint: `leave ${name} out`,
      pointer: `${argumentsPointer}/${name}`,
    }));
  if (details.length > 0) throw invalidRequest(details);
}

function readTimeMs(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}
