import * as z from "zod";

/** One request of the HTTP API, in this process or over the network. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

type ApiRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal;
};

export type ApiAnswer = { status: number; text: string };

const problem = z.object({
  title: z.string().default("The request failed"),
  detail: z.string().default(""),
  code: z.string().default("unknown"),
  hint: z.string().nullish(),
  errors: z.array(z.object({ message: z.string(), hint: z.string().nullish() })).default([]),
});

/** A refusal of the API. The message is for a model: what is wrong, where, and how to fix it. */
export class ApiRefusal extends Error {
  readonly code: string;

  constructor(answer: ApiAnswer) {
    const { data } = problem.safeParse(jsonOrNull(answer.text));
    super(data === undefined ? `the server answered with status ${answer.status}` : textOf(data));
    this.code = data?.code ?? "unknown";
  }
}

/** The body of an answer below 300. Errors: `ApiRefusal`; an `Error` if it has another form. */
export function bodyOf<Schema extends z.ZodType>(
  answer: ApiAnswer,
  schema: Schema,
): z.output<Schema> {
  if (answer.status >= 300) throw new ApiRefusal(answer);
  const { data, error } = schema.safeParse(jsonOrNull(answer.text));
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  const place =
    issue === undefined ? "" : ` (${["answer", ...issue.path].join(".")}: ${issue.message})`;
  throw new Error(`the service did not answer as an Earshot service of this version does${place}`);
}

function textOf({ title, detail, code, hint, errors }: z.output<typeof problem>): string {
  const lines = [`${title} (${code})${detail === "" ? "" : `: ${detail}`}`];
  for (const each of errors) {
    if (each.message !== detail) lines.push(`- ${each.message}`);
    if (each.hint && each.hint !== hint) lines.push(`  Fix: ${each.hint}`);
  }
  if (hint) lines.push(`Fix: ${hint}`);
  return lines.join("\n");
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
