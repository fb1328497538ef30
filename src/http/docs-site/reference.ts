import { anchorName } from "./anchor-names.ts";
import type { OpenApi, Operation, ResponseDescription } from "./open-api.ts";
import { code, memberTable, table, typeText } from "./schema-tables.ts";

const schemasName = "schemas";

export function referenceNames({ tags }: OpenApi): string[] {
  return ["README", ...tags.map(({ name }) => name), schemasName];
}

export function referencePage(api: OpenApi, name: string): string {
  if (name === "README") return indexPage(api);
  return name === schemasName ? schemasPage(api) : tagPage(api, name);
}

function indexPage(api: OpenApi): string {
  const { tags } = api;
  return paragraphs([
    "# API reference",
    "Every endpoint, generated from [openapi.json](/openapi.json). [The API](../api.md) explains keys, limits, cursors and coverage.",
    ...tags.flatMap(({ name, description }) => [
      `## ${referenceTitle(name)}`,
      description,
      table(
        ["endpoint", "purpose"],
        listEndpoints(api, name).map(({ method, path, operation }) => [
          `[\`${method} ${path}\`](${name}.md#${anchorName(`${method} ${path}`)})`,
          operation.summary,
        ]),
      ),
    ]),
    headersChapter(api),
    `Bodies are described by their [schemas](${schemasName}.md).\n`,
  ]);
}

function tagPage(api: OpenApi, name: string): string {
  const description = api.tags.find((tag) => tag.name === name)?.description ?? "";
  return paragraphs([
    `# ${referenceTitle(name)}`,
    description,
    ...listEndpoints(api, name).map((endpoint) => endpointChapter(endpoint)),
    "",
  ]);
}

function schemasPage({ components: { schemas } }: OpenApi): string {
  return paragraphs([
    "# Schemas",
    "Request and response bodies.",
    ...Object.entries(schemas).map(([name, schema]) =>
      paragraphs([
        `## ${name}`,
        schema.description ?? "",
        memberTable(schema) || `Type: ${typeText(schema)}.`,
        exampleBlock(schema.examples?.[0]),
      ]),
    ),
    "",
  ]);
}

export function referenceTitle(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

type Endpoint = { method: string; path: string; operation: Operation };

function listEndpoints({ paths }: OpenApi, tag: string): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function endpointChapter(endpoint: Endpoint): string {
  const { method, path, operation } = endpoint;
  return paragraphs([
    `## ${method} ${path}`,
    `${operation.summary}. ${operation.security ? "Requires a key" : "Requires no key"}. Operation \`${operation.operationId}\`.`,
    operation.description ?? "",
    formatParameters(operation),
    makeBody(operation),
    formatSamples(operation),
    table(
      ["status", "body", "meaning"],
      Object.entries(operation.responses).map(([status, answer]) => [
        code(status),
        formatBodies(answer),
        answer.description,
      ]),
    ),
    formatHeaders(operation),
  ]);
}

function formatParameters({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return "";
  return table(
    ["parameter", "in", "type", "meaning"],
    parameters.map(({ name, in: location, required, schema = {}, description }) => [
      code(name),
      location,
      `${typeText(schema)}${required ? "" : ", optional"}`,
      description ?? schema.description ?? "",
    ]),
  );
}

function makeBody({ requestBody }: Operation): string {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema === undefined ? "" : `The body is a ${typeText(schema)} in JSON.`;
}

const fenceLanguages: Readonly<Record<string, string>> = {
  Shell: "sh",
  TypeScript: "ts",
  Python: "python",
};

/** Consecutive blocks with a name in brackets become tabs. */
function formatSamples({ "x-codeSamples": samples = [] }: Operation): string {
  return samples
    .map(({ lang, label, source }) => {
      const name = samples.length > 1 ? ` [${label}]` : "";
      return `\`\`\`${fenceLanguages[lang] ?? ""}${name}\n${source}\n\`\`\``;
    })
    .join("\n\n");
}

function formatBodies({ content = {} }: ResponseDescription): string {
  const bodies = Object.entries(content).map(([type, { schema }]) =>
    schema?.$ref === undefined && schema?.items === undefined ? type : typeText(schema),
  );
  return bodies.length === 0 ? "none" : [...new Set(bodies)].join(" or ");
}

const maxListedStatuses = 5;

function formatHeaders({ responses }: Operation): string {
  const statuses = new Map<string, string[]>();
  for (const [status, { headers = {} }] of Object.entries(responses)) {
    for (const name of Object.keys(headers)) {
      statuses.set(name, [...(statuses.get(name) ?? []), status]);
    }
  }
  if (statuses.size === 0) return "";
  const list = [...statuses].map(
    ([name, listed]) =>
      `${code(name)}${listed.length > maxListedStatuses ? "" : ` (${listed.join(", ")})`}`,
  );
  return `Header fields: ${list.join(", ")}. [What they mean](README.md#header-fields).`;
}

function headersChapter({ components: { headers = {} } }: OpenApi): string {
  const rows = Object.entries(headers).map(([name, { description }]) => [
    code(name),
    description ?? "",
  ]);
  return rows.length === 0 ? "" : `## Header fields\n\n${table(["field", "meaning"], rows)}`;
}

function exampleBlock(example: unknown): string {
  return example === undefined ? "" : `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
