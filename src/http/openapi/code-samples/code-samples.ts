import { type ClientCall, clientCalls } from "./client-calls.ts";

export type CodeSample = { lang: string; label: string; source: string };

/** Samples read the key from `EARSHOT_API_KEY`. */
export function makeCodeSamples(endpoint: Endpoint): CodeSample[] {
  const { operationId } = endpoint.operation;
  const { fields, impliedFields } = clientCalls[operationId.replace("WithoutPlatform", "")] ?? {};
  const curl = {
    lang: "Shell",
    label: "curl",
    source: curlSample(endpoint, fields ?? impliedFields),
  };
  const call = clientCalls[operationId];
  if (call === undefined) return [curl];
  const samples = [
    curl,
    { lang: "TypeScript", label: "TypeScript", source: typescriptSample(endpoint, call) },
    { lang: "Python", label: "Python", source: pythonSample(endpoint, call) },
  ];
  if (call.command === undefined) return samples;
  const source = `earshot ${call.command} --url ${sampleUrl}`;
  return [...samples, { lang: "Shell", label: "CLI", source }];
}

type Fields = Readonly<Record<string, unknown>>;

/** `fields` are query parameters or body members; by default, required parameters or the body's example. */
function curlSample(endpoint: Endpoint, fields?: Fields): string {
  const { method, operation } = endpoint;
  const body = operation.requestBody?.content["application/json"];
  const query = body === undefined ? Object.entries(fields ?? endpointRequiredQuery(endpoint)) : [];
  const isStream = operation.responses["200"]?.content?.["text/event-stream"] !== undefined;
  const options = `-s${isStream ? "N" : ""}${query.length === 0 ? "" : "G"}`;
  const isMethodImplied = method === "GET" || body !== undefined;
  return [
    `curl ${options}${isMethodImplied ? "" : ` -X ${method}`} '${endpointUrl(endpoint)}'`,
    ...(operation.security === undefined ? [] : ['-H "Authorization: Bearer $EARSHOT_API_KEY"']),
    ...query.map(([name, value]) => `--data-urlencode ${shellQuote(`${name}=${value}`)}`),
    ...(body === undefined ? [] : bodyOptions(fields ?? bodyExample(body))),
  ].join(" \\\n  ");
}

function endpointUrl(endpoint: Endpoint): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    parameterExample(endpoint, name),
  );
  return `${sampleUrl}${path}`;
}

function endpointRequiredQuery(endpoint: Endpoint): Fields {
  const { parameters = [] } = endpoint.operation;
  const requiredParameters = parameters.filter(
    ({ in: location, required }) => location === "query" && required,
  );
  return Object.fromEntries(
    requiredParameters.map(({ name }) => [name, parameterExample(endpoint, name)]),
  );
}

type Body = NonNullable<Endpoint["operation"]["requestBody"]>["content"][string];

function bodyExample({ example, examples = {} }: Body): unknown {
  const [first] = Object.values(examples) as { value: unknown }[];
  return example ?? first?.value ?? {};
}

function bodyOptions(body: unknown): string[] {
  return ["-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`];
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function typescriptSample(endpoint: Endpoint, call: ClientCall): string {
  const { method, fields, result } = call;
  const entries = Object.entries(fields ?? {}).map(([name, value]) => `${name}: ${literal(value)}`);
  const object = entries.length === 0 ? [] : [`{ ${entries.join(", ")} }`];
  const expression = `earshot.${method}(${[...endpointPath(endpoint, call), ...object].join(", ")})`;
  const lines = call.isStream
    ? [`for await (const ${result} of ${expression}) {`, `  console.log(${result});`, "}"]
    : result === undefined
      ? [`await ${expression};`]
      : [`const ${result} = await ${expression};`, `console.log(${result});`];
  return [
    'import { Earshot } from "earshot-client";',
    "",
    "const earshot = new Earshot({",
    `  url: "${sampleUrl}",`,
    '  key: process.env.EARSHOT_API_KEY ?? "",',
    "});",
    ...lines,
  ].join("\n");
}

function pythonSample(endpoint: Endpoint, call: ClientCall): string {
  const { method, fields, result } = call;
  const entries = Object.entries(fields ?? {}).map(([name, value]) => `${name}=${literal(value)}`);
  const methodName = method.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const expression = `earshot.${methodName}(${[...endpointPath(endpoint, call), ...entries].join(", ")})`;
  const lines = call.isStream
    ? [`for ${result} in ${expression}:`, `    print(${result})`]
    : result === undefined
      ? [expression]
      : [`${result} = ${expression}`, `print(${result})`];
  return [
    "import os",
    "",
    "from earshot_client import Earshot",
    "",
    `earshot = Earshot(url="${sampleUrl}", key=os.environ["EARSHOT_API_KEY"])`,
    ...lines,
  ].join("\n");
}

function endpointPath(endpoint: Endpoint, { pathParameters = [] }: ClientCall): string[] {
  return pathParameters.map((name) => literal(parameterExample(endpoint, name)));
}

function literal(value: string | number | readonly string[]): string {
  return typeof value === "object" ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);
}

type Example = { example?: unknown; schema?: { examples?: readonly unknown[] } };

type Endpoint = {
  method: string;
  path: string;
  operation: {
    operationId: string;
    security?: readonly unknown[];
    parameters?: readonly (Example & { name: string; in: string; required?: boolean })[];
    requestBody?: {
      content: Record<string, Example & { examples?: Record<string, unknown> }>;
    };
    responses: Record<string, { content?: Record<string, unknown> }>;
  };
};

export const sampleUrl = "http://127.0.0.1:8080";

/** The name if there is no example. */
function parameterExample({ operation }: Endpoint, name: string): string {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.name === name);
  const { example, schema } =
    parameters.find((parameter) => parameter.in === "path") ?? parameters[0] ?? {};
  return String(example ?? schema?.examples?.[0] ?? name);
}
