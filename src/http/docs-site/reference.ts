import { anchorOf } from "./anchor-names.ts";
import type { Answer, OpenApi, Operation } from "./open-api.ts";
import { code, kindOf, memberTable, table } from "./schema-tables.ts";

/** All endpoints, each with its parts and code samples, then the schemas. */
export function referenceOf(api: OpenApi): string {
  const endpoints = endpointsOf(api);
  return [
    "## Endpoints\n",
    table(
      ["endpoint", "does"],
      endpoints.map(({ method, path, operation }) => [
        `[\`${method} ${path}\`](#${anchorOf(`${method} ${path}`)})`,
        operation.summary,
      ]),
    ),
    ...api.tags.flatMap(({ name, description }) => [
      `\n## Endpoints: ${name}\n\n${description}`,
      ...endpoints
        .filter(({ operation }) => operation.tags.includes(name))
        .map((endpoint) => endpointChapter(endpoint)),
    ]),
    headersChapter(api),
    "\n## Schemas\n\nWhat bodies and answers hold. The links of the endpoints lead here.",
    ...Object.entries(api.components.schemas).map(([name, schema]) =>
      joined([
        `\n### ${name}`,
        schema.description ?? "",
        memberTable(schema) || `Type: ${kindOf(schema)}.`,
        exampleBlock(schema.examples?.[0]),
      ]),
    ),
    "",
  ].join("\n");
}

type Endpoint = { method: string; path: string; operation: Operation };

function endpointsOf(api: OpenApi): Endpoint[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function endpointChapter(endpoint: Endpoint): string {
  const { method, path, operation } = endpoint;
  return joined([
    `\n### ${method} ${path}`,
    `${operation.summary}. ${operation.security ? "It needs a key" : "It needs no key"}; generated clients call it \`${operation.operationId}\`.`,
    operation.description ?? "",
    parametersOf(operation),
    bodyOf(operation),
    ...samplesOf(operation),
    table(
      ["status", "body", "meaning"],
      Object.entries(operation.responses).map(([status, answer]) => [
        code(status),
        bodiesOf(answer),
        answer.description,
      ]),
    ),
    headersOf(operation),
  ]);
}

function parametersOf({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return "";
  return table(
    ["parameter", "in", "type", "meaning"],
    parameters.map(({ name, in: location, required, schema = {}, description }) => [
      code(name),
      location,
      `${kindOf(schema)}${required ? "" : ", may be absent"}`,
      description ?? schema.description ?? "",
    ]),
  );
}

function bodyOf({ requestBody }: Operation): string {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema === undefined ? "" : `The body is a ${kindOf(schema)} in JSON.`;
}

const fences: Readonly<Record<string, string>> = {
  Shell: "sh",
  TypeScript: "ts",
  Python: "python",
};

function samplesOf({ "x-codeSamples": samples = [] }: Operation): string[] {
  return samples.flatMap(({ lang, label, source }) => [
    ...(samples.length > 1 ? [`${label}:`] : []),
    `\`\`\`${fences[lang] ?? ""}\n${source}\n\`\`\``,
  ]);
}

function bodiesOf({ content = {} }: Answer): string {
  const bodies = Object.entries(content).map(([type, { schema }]) =>
    schema?.$ref === undefined && schema?.items === undefined ? type : kindOf(schema),
  );
  return bodies.length === 0 ? "none" : [...new Set(bodies)].join(" or ");
}

/** Headers of more answers are listed without statuses. */
const mostListed = 5;

/** Beyond those of HTTP itself. */
function headersOf({ responses }: Operation): string {
  const statuses = new Map<string, string[]>();
  for (const [status, { headers = {} }] of Object.entries(responses)) {
    for (const name of Object.keys(headers)) {
      statuses.set(name, [...(statuses.get(name) ?? []), status]);
    }
  }
  if (statuses.size === 0) return "";
  const list = [...statuses].map(
    ([name, on]) => `${code(name)}${on.length > mostListed ? "" : ` (${on.join(", ")})`}`,
  );
  return `Header fields: ${list.join(", ")}. [What they mean](#header-fields).`;
}

function headersChapter({ components: { headers = {} } }: OpenApi): string {
  const rows = Object.entries(headers).map(([name, { description }]) => [
    code(name),
    description ?? "",
  ]);
  return rows.length === 0 ? "" : `\n## Header fields\n\n${table(["field", "tells"], rows)}`;
}

function exampleBlock(example: unknown): string {
  return example === undefined ? "" : `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
