import { createGuard } from "../../lib/guard.ts";
import { createGuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Api } from "../../mcp/api.ts";
import { packageVersion } from "../../server/version.ts";
import type { Login } from "./login-file.ts";

const timeoutMs = 60_000;
const maxBytes = 64 * 1024 * 1024;

export type RemoteApi = { api: Api; close(): Promise<void> };

export function openRemoteApi({ url, key }: Login): RemoteApi {
  const fetch = createGuardedFetch({
    guard: createGuard([url]),
    userAgent: `earshot/${packageVersion()}`,
    timeoutMs,
    maxBytes,
    maxRedirects: 0,
  });
  const base = url.endsWith("/") ? url.slice(0, -1) : url;
  const api: Api = async ({ method, path, headers, body, signal }) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, text: response.text() };
  };
  return { api, close: () => fetch.close() };
}
