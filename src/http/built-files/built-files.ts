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
  /** The copy in the encoding if the build has one, else the plain file; null if there is none. Cached in memory. */
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

/** The files below a folder that `npm run prepare` made, some with compressed copies beside them. The caller checks names. */
export function createBuiltFiles(folder: URL): BuiltFiles {
  const files = new Map<string, ServedFile>();

  async function read(name: string, encoding: AcceptedEncoding): Promise<ServedFile | null> {
    const key = encoding === null ? name : name + endings[encoding];
    const known = files.get(key);
    if (known !== undefined) return known;
    const body = await readFile(new URL(key, folder)).catch(() => null);
    if (body === null) return null;
    const type = types[extname(name)] ?? "application/octet-stream";
    const file = servedAs(type, body, encoding);
    files.set(key, file);
    return file;
  }

  return {
    find: async (name, encoding) =>
      (encoding === null ? null : await read(name, encoding)) ?? (await read(name, null)),
  };
}

export function servedAs(
  type: string,
  text: string | Buffer,
  encoding: AcceptedEncoding = null,
): ServedFile {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { type, body, etag: `"${hash}"`, encoding };
}
