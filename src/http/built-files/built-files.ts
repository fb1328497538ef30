import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { AcceptedEncoding } from "./accepts-encoding.ts";

export type ServedFile = {
  type: string;
  body: Buffer;
  etag: string;
  encoding: AcceptedEncoding;
};

export type BuiltFiles = {
  /** Uncompressed if the build lacks the encoding; null without the file. Cached in memory. */
  find(name: string, encoding: AcceptedEncoding): Promise<ServedFile | null>;
};

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".woff2": "font/woff2",
};
const endings = { br: ".br", gzip: ".gz" } as const;

/** The caller must validate names. */
export function createBuiltFiles(folder: URL): BuiltFiles {
  const files = new Map<string, ServedFile>();

  async function find(name: string, encoding: AcceptedEncoding): Promise<ServedFile | null> {
    const key = `${name} ${encoding}`;
    const cached = files.get(key);
    if (cached !== undefined) return cached;
    const copy = await read(name, encoding);
    const file = copy === null && encoding !== null ? await find(name, null) : copy;
    if (file !== null) files.set(key, file);
    return file;
  }

  async function read(name: string, encoding: AcceptedEncoding): Promise<ServedFile | null> {
    const ending = encoding === null ? "" : endings[encoding];
    const body = await readFile(new URL(name + ending, folder)).catch(() => null);
    const type = types[extname(name)] ?? "application/octet-stream";
    return body === null ? null : makeServedFile(type, body, encoding);
  }

  return { find };
}

export function makeServedFile(
  type: string,
  text: string | Buffer,
  encoding: AcceptedEncoding = null,
): ServedFile {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { type, body, etag: `"${hash}"`, encoding };
}
