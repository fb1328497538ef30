import * as z from "zod";
import { parseUntrustedJson } from "../lib/bounded-json.ts";

/** One request of the HTTP API, in this process or over the network. */
export type Api = (request: ApiRequest) => Promise<ApiResponse>;

type ApiRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal;
};

export type ApiResponse = { status: number; text: string };

const problem = z.object({
  title: z.string().default("The request failed"),
  detail: z.string().default(""),
  code: z.string().default("unknown"),
  hint: z.string().nullish(),
  errors: z.array(z.object({ message: z.string(), hint: z.string().nullish() })).default([]),
});

/** An error response. The message is for a model: it contains what is wrong, where, and the fix. */
export class ApiError extends Error {
  readonly code: string;

  constructor(response: ApiResponse) {
    const { data } = problem.safeParse(orNull(() => parseBounded(response.text)));
    super(data === undefined ? `the server returned ${response.status}` : formatProblem(data));
    this.code = data?.code ?? "unknown";
  }
}

/**
 * The body of a response with a status below 300. By default, `parse` limits the text, so that it
 * cannot block a server's event loop. Errors: `ApiError`; an `Error` if the body is too large or
 * has another form.
 */
export function readBody<Schema extends z.ZodType>(
  { status, text }: ApiResponse,
  schema: Schema,
  parse: (text: string) => unknown = parseBounded,
): z.output<Schema> {
  if (status >= 300) throw new ApiError({ status, text });
  const { data, error } = schema.safeParse(orNull(() => parse(text)));
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const path = ["response", ...(issue?.path ?? [])].join(".");
  throw new Error(
    `the response is too large, or not from an Earshot service of this version (${path}: ${issue?.message})`,
  );
}

const parseBounded = (text: string): unknown => parseUntrustedJson(Buffer.from(text));

function formatProblem({ title, detail, code, hint, errors }: z.output<typeof problem>): string {
  const lines = [`${title} (${code})${detail === "" ? "" : `: ${detail}`}`];
  for (const error of errors) {
    if (error.message !== detail) lines.push(`- ${error.message}`);
    if (error.hint && error.hint !== hint) lines.push(`  Fix: ${error.hint}`);
  }
  if (hint) lines.push(`Fix: ${hint}`);
  return lines.join("\n");
}

function orNull(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return null;
  }
}
