import { z } from "zod";
import { painter, type Terminal } from "../terminal/terminal.ts";

export type CurlRequest = { method: "GET" | "POST"; path: string; body?: unknown };
export type CurlResponse = { status: number; headers: Headers; body: unknown };

const printedHeaders = [
  "content-type",
  "location",
  "retry-after",
  "ratelimit",
  "x-next-cursor",
  "x-coverage",
];

const maxColumns = 100;

export async function sendAndPrint(
  baseUrl: string,
  key: string,
  request: CurlRequest,
  terminal: Terminal,
): Promise<CurlResponse> {
  const { bold, dim } = painter(terminal);
  terminal.out(`${bold(curlLine(baseUrl, request))}\n`);
  const response = await fetch(baseUrl + request.path, {
    method: request.method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    signal: AbortSignal.any([terminal.stopSignal, AbortSignal.timeout(20_000)]),
  });
  const body: unknown = JSON.parse(await response.text());
  terminal.out(`${dim(responseHead(response))}\n`);
  const columns = terminal.interactive ? Math.min(terminal.columns, maxColumns) : maxColumns;
  terminal.out(`\n${prettyJson(body, columns)}\n\n`);
  return { status: response.status, headers: response.headers, body };
}

export function curlLine(baseUrl: string, { method, path, body }: CurlRequest): string {
  const target = `${baseUrl}${path}`;
  const url = /[?&]/.test(path) ? `'${target}'` : target;
  if (method === "GET") return `$ curl -i ${url} -H "Authorization: Bearer $KEY"`;
  return [
    `$ curl -i ${url} -H "Authorization: Bearer $KEY"`,
    `-H 'Content-Type: application/json' \\\n    -d '${JSON.stringify(body)}'`,
  ].join(" ");
}

function responseHead(response: Response): string {
  const fields = printedHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [`HTTP/1.1 ${response.status} ${response.statusText}`, ...fields].join("\n");
}

const submissionSchema = z.object({ uuid: z.string(), error: z.string() });

export function readUuid(response: CurlResponse): string {
  return submissionSchema.parse(response.body).uuid;
}

export function prettyJson(value: unknown, columns: number, indent = ""): string {
  const line = onOneLine(value);
  if (indent.length + line.length <= columns || typeof value !== "object" || value === null) {
    return line;
  }
  const innerIndent = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item: unknown) => innerIndent + prettyJson(item, columns, innerIndent))
    : fill(Object.entries(value), columns, innerIndent);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${items.join(",\n")}\n${indent}${close}`;
}

function fill(members: readonly [string, unknown][], columns: number, indent: string): string[] {
  const lines: string[] = [];
  for (const [name, value] of members) {
    const start = `${JSON.stringify(name)}: `;
    const inlineMember = start + onOneLine(value);
    const lastLine = lines.at(-1);
    if (
      lastLine !== undefined &&
      !lastLine.includes("\n") &&
      lastLine.length + 2 + inlineMember.length <= columns
    ) {
      lines[lines.length - 1] = `${lastLine}, ${inlineMember}`;
    } else {
      lines.push(indent + start + prettyJson(value, columns - start.length, indent));
    }
  }
  return lines;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
