import type { ClientCall } from "./client-calls.ts";
import { type Endpoint, parameterExample, sampleUrl } from "./endpoint.ts";

export function typescriptSample(endpoint: Endpoint, call: ClientCall): string {
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

export function pythonSample(endpoint: Endpoint, call: ClientCall): string {
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

function endpointPath(endpoint: Endpoint, { path = [] }: ClientCall): string[] {
  return path.map((name) => literal(parameterExample(endpoint, name)));
}

function literal(value: string | number | readonly string[]): string {
  return typeof value === "object" ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);
}
