import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { LightMyRequestResponse } from "fastify";
import { openApiFile } from "../../src/http/routes/ops/openapi.ts";

type Schema = { examples?: readonly unknown[]; $ref?: string };

export type DescribedMedia = {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, DescribedExample>>;
};

type DescribedExample = { value?: unknown; $ref?: string };

export type DescribedLink = {
  operationId: string;
  parameters: Readonly<Record<string, string>>;
};

type DescribedResponse = {
  description: string;
  content?: Readonly<Record<string, DescribedMedia>>;
  headers?: Readonly<Record<string, { $ref: string }>>;
  links?: Readonly<Record<string, DescribedLink>>;
};

export type DescribedParameter = {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
};

type DescribedOperation = {
  operationId: string;
  security?: readonly unknown[];
  parameters?: readonly DescribedParameter[];
  requestBody?: { content: Readonly<Record<string, DescribedMedia>> };
  responses: Readonly<Record<string, DescribedResponse>>;
};

export type Endpoint = {
  method: string;
  path: string;
  operation: DescribedOperation;
  pointer: string;
};

const base = "https://earshot.test/openapi.json";
const document: {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: {
    headers: Record<string, unknown>;
    schemas: Record<string, Schema>;
    examples: Record<string, { value: unknown }>;
  };
} = JSON.parse(readFileSync(openApiFile, "utf8"));

export const schemas = document.components.schemas;

export const endpoints: readonly Endpoint[] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      pointer: pointer("paths", path, method),
    })),
);

export function endpointNamed(operationId: string): Endpoint {
  const endpoint = endpoints.find(({ operation }) => operation.operationId === operationId);
  if (endpoint === undefined) throw new Error(`${operationId} is not described`);
  return endpoint;
}

export function examplesIn({ example, examples = {} }: DescribedMedia): [string, unknown][] {
  const namedExamples = Object.entries(examples).map(
    ([name, { value, $ref }]): [string, unknown] => [
      name,
      $ref === undefined
        ? value
        : document.components.examples[$ref.split("/").at(-1) ?? ""]?.value,
    ],
  );
  return example === undefined ? namedExamples : [["example", example], ...namedExamples];
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat(
  "date-time",
  (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
);
ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
ajv.addFormat("uuid", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
ajv.addFormat("uri", (text) => URL.canParse(text));
ajv.addSchema(document, base);

export function pointer(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** `schemaPointer` points into openapi.json. */
export function describeErrors(value: unknown, schemaPointer: string): string {
  const reference = `${base}#${encodeURI(schemaPointer)}`;
  const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}

export function findDeviations(
  { operation, pointer: operationPointer }: Endpoint,
  response: LightMyRequestResponse,
): string {
  const status = String(response.statusCode);
  const describedResponse = operation.responses[status];
  if (describedResponse === undefined) return `${status} is not described: ${response.body}`;
  for (const name of Object.keys(response.headers)) {
    if (isDescribedHeader(name) && !hasHeader(describedResponse, name))
      return `${status} has the header ${name}`;
  }
  const types = Object.keys(describedResponse.content ?? {});
  if (types.length === 0) return response.body === "" ? "" : `${status} has a body`;
  const type = String(response.headers["content-type"]).split(";")[0] ?? "";
  if (!types.includes(type)) return `${status} is ${type}`;
  const schema = `${operationPointer}${pointer("responses", status, "content", type, "schema")}`;
  if (type === "text/event-stream") {
    return eventsIn(response.body)
      .map((event) => describeErrors(event, schema))
      .join("");
  }
  return describeErrors(/json$/.test(type) ? response.json() : response.body, schema);
}

/** The fields of each event that has data. */
function eventsIn(body: string): Readonly<Record<string, string>>[] {
  const blocks = body.split("\n\n").map((block) => {
    const lines = block.split("\n").map((line) => /^([^:]+): ?(.*)$/.exec(line));
    return Object.fromEntries(
      lines.flatMap((line) => (line ? [[line[1] ?? "", line[2] ?? ""]] : [])),
    );
  });
  return blocks.filter(({ data }) => data !== undefined);
}

const undescribedHeaders = new Set([
  "content-type",
  "content-length",
  "date",
  "connection",
  "keep-alive",
  "vary",
  "cache-control",
  "content-security-policy",
  "x-content-type-options",
  "cross-origin-opener-policy",
  "permissions-policy",
  "referrer-policy",
  "transfer-encoding",
  "x-accel-buffering",
]);

function isDescribedHeader(name: string): boolean {
  return !undescribedHeaders.has(name);
}

function hasHeader({ headers = {} }: DescribedResponse, name: string): boolean {
  return Object.keys(headers).some((described) => described.toLowerCase() === name);
}
