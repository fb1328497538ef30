import type { MediaType, Operation, Parameter } from "./open-api.ts";

const base = "http://127.0.0.1:8080";

/** With the examples of the description. */
export function curlOf({
  method,
  path,
  operation,
}: {
  method: string;
  path: string;
  operation: Operation;
}): string {
  const { parameters = [], requestBody, security } = operation;
  const written = parameters
    .filter(({ in: location }) => location === "path")
    .reduce(
      (address, parameter) => address.replace(`{${parameter.name}}`, exampleOf(parameter)),
      path,
    );
  const query = parameters
    .filter(({ in: location, required }) => location === "query" && required)
    .map((parameter) => `--data-urlencode ${quoted(`${parameter.name}=${exampleOf(parameter)}`)}`);
  const body = requestBody?.content["application/json"];
  return [
    `curl -s${query.length === 0 ? "" : "G"}${method === "GET" || method === "POST" ? "" : ` -X ${method}`} '${base}${written}'`,
    ...(security === undefined ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...query,
    ...(body === undefined ? [] : bodyOf(body)),
    ...(body === undefined && method === "POST" ? ["-X POST"] : []),
  ].join(" \\\n  ");
}

function bodyOf({ schema, example, examples }: MediaType): string[] {
  const shown = example ?? Object.values(examples ?? {})[0]?.value ?? schema?.examples?.[0] ?? {};
  return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(shown))}`];
}

function exampleOf({ name, example, schema }: Parameter): string {
  const shown = example ?? schema?.examples?.[0];
  return shown === undefined ? name : String(shown);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
