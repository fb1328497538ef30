import { type Endpoint, parameterExample, sampleUrl } from "./endpoint.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `fields`: query parameters or members of the body, else required parameters and the body's example. */
export function curlSample(endpoint: Endpoint, fields?: Fields): string {
  const { method, operation } = endpoint;
  const body = operation.requestBody?.content["application/json"];
  const query = body === undefined ? Object.entries(fields ?? endpointRequiredQuery(endpoint)) : [];
  const isStream = operation.responses["200"]?.content?.["text/event-stream"] !== undefined;
  const options = `-s${isStream ? "N" : ""}${query.length === 0 ? "" : "G"}`;
  const isImplied = method === "GET" || body !== undefined;
  return [
    `curl ${options}${isImplied ? "" : ` -X ${method}`} '${endpointAddress(endpoint)}'`,
    ...(operation.security === undefined ? [] : ['-H "Authorization: Bearer $EARSHOT_API_KEY"']),
    ...query.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(body === undefined ? [] : readBody(fields ?? bodyExample(body))),
  ].join(" \\\n  ");
}

function endpointAddress(endpoint: Endpoint): string {
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

function readBody(body: unknown): string[] {
  return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
