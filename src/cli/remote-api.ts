import { createGuard } from "../lib/guard.ts";
import { createGuardedFetch } from "../lib/guarded-fetch.ts";
import type { Api } from "../mcp/api.ts";
import { packageVersion } from "../server/version.ts";

const timeoutMs = 60_000;
const maxBytes = 64 * 1024 * 1024;

/** The API of the service at `url`, which may be on this machine. */
export function openRemoteApi(url: URL, key: string): { api: Api; close(): Promise<void> } {
  const fetch = createGuardedFetch({
    guard: createGuard([url.href]),
    userAgent: `earshot-mcp/${packageVersion()}`,
    timeoutMs,
    maxBytes,
    maxRedirects: 0,
  });
  const base = url.href.endsWith("/") ? url.href.slice(0, -1) : url.href;
  const api: Api = async ({ method, path, headers, body, signal }) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: answer.status, text: answer.text() };
  };
  return { api, close: () => fetch.close() };
}
