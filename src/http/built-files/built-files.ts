import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

export type ServedFile = {
  type: string;
  body: Buffer;
  etag: string;
  encoding: AcceptedEncoding;
};

export type BuiltFiles = {
  /** Uncompressed if the build lacks the encoding; null if the file is missing. Cached in memory. */
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
const extensions = { br: ".br", gzip: ".gz" } as const;

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
    const ending = encoding === null ? "" : extensions[encoding];
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

/** Sends 304 if the client has the file. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag, encoding }: ServedFile,
): FastifyReply {
  reply.headers({ etag, ...(encoding !== null && { "content-encoding": encoding }) });
  if (!reply.hasHeader("vary")) reply.header("vary", "Accept-Encoding");
  if (isCached(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}

/** Compares weakly (RFC 9110). */
function isCached(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  if (field.trim() === "*") return true;
  return field.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

export type AcceptedEncoding = "br" | "gzip" | null;

export function acceptedEncoding(field: string | undefined): AcceptedEncoding {
  const acceptedNames = (field ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(?:\.0{0,3})?$/.test(part))
    .map((part) => part.split(";", 1)[0]?.trim() ?? "");
  return (["br", "gzip"] as const).find((name) => acceptedNames.includes(name)) ?? null;
}
