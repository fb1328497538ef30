import { type Endpoint, exampleOf, sampleUrl } from "./endpoint.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `fields`: query parameters or members of the body, else required parameters and the body's example. */
export function curlSample(endpoint: Endpoint, fields?: Fields): string {
  const { method, operation } = endpoint;
  const body = operation.requestBody?.content["application/json"];
  const query = body === undefined ? Object.entries(fields ?? requiredQueryOf(endpoint)) : [];
  const isStream = operation.responses["200"]?.content?.["text/event-stream"] !== undefined;
  const options = `-s${isStream ? "N" : ""}${query.length === 0 ? "" : "G"}`;
  const isImplied = method === "GET" || body !== undefined;
  return [
    `curl ${options}${isImplied ? "" : ` -X ${method}`} '${addressOf(endpoint)}'`,
    ...(operation.security === undefined ? [] : ['-H "Authorization: Bearer $EARSHOT_API_KEY"']),
    ...query.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(body === undefined ? [] : bodyOf(fields ?? exampleOfBody(body))),
  ].join(" \\\n  ");
}

function addressOf(endpoint: Endpoint): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => exampleOf(endpoint, name));
  return `${sampleUrl}${path}`;
}

function requiredQueryOf(endpoint: Endpoint): Fields {
  const { parameters = [] } = endpoint.operation;
  const requiredParameters = parameters.filter(
    ({ in: location, required }) => location === "query" && required,
  );
  return Object.fromEntries(
    requiredParameters.map(({ name }) => [name, exampleOf(endpoint, name)]),
  );
}

type Body = NonNullable<Endpoint["operation"]["requestBody"]>["content"][string];

function exampleOfBody({ example, examples = {} }: Body): unknown {
  const [first] = Object.values(examples) as { value: unknown }[];
  return example ?? first?.value ?? {};
}

function bodyOf(body: unknown): string[] {
  return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
