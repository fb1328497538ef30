import type { Headers } from "undici";
import { EarshotError } from "../../../src/lib/errors.ts";
import type { Session, UpstreamRequest } from "../../../src/platforms/session.ts";
import type { AccessKind } from "../../../src/platforms/upstream.ts";
import type { MastodonEmulator } from "./server.ts";

export type PlainSessionOptions = {
  access?: AccessKind;
  token?: string;
  nowMs?: number;
  otherServers?: readonly MastodonEmulator[];
};

export function plainSession(
  emulator: Pick<MastodonEmulator, "url">,
  { access = "public", token, nowMs = Date.now(), otherServers = [] }: PlainSessionOptions = {},
): Session {
  async function send(url: URL, { query = {}, headers = {} }: Omit<UpstreamRequest, "path">) {
    for (const [name, value] of Object.entries(query)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each !== undefined) url.searchParams.append(name, String(each));
      }
    }
    const response = await fetch(url, { headers: { "user-agent": "earshot-test", ...headers } });
    const text = await response.text();
    if (response.status === 401 || response.status === 429 || response.status >= 500) {
      const code = response.status === 401 ? "credential_refused" : "upstream_failed";
      throw new EarshotError(code, `${url.host} returned ${response.status}`);
    }
    return {
      status: response.status,
      headers: response.headers as unknown as Headers,
      json: text === "" ? null : JSON.parse(text),
      settle: () => undefined,
    };
  }

  return {
    platform: "mastodon",
    access,
    owner: access === "public" ? null : "account",
    credentialId: access === "public" ? null : "credential",
    subjectId: null,
    baseUrl: emulator.url,
    nowMs,
    get: ({ path, ...request }) =>
      send(new URL(path, emulator.url), {
        ...request,
        headers: {
          ...request.headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      }),
    getPublic: (url, request) => {
      const other = otherServers.find(({ host }) => host === url.host);
      if (other === undefined) {
        throw new EarshotError("upstream_unreachable", `${url.host} is unreachable`, {
          status: 502,
          retryable: true,
        });
      }
      return send(new URL(url.pathname + url.search, other.url), request);
    },
  };
}
