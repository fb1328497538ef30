import type { Session, UpstreamRequest } from "../../platforms/session.ts";
import type { AccessKind, Upstream } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { Access } from "./access-methods.ts";
import type { Patience } from "./limits.ts";
import type { OutgoingRequest, SendContext } from "./outgoing-request.ts";
import type { Pace } from "./pace.ts";
import { sendRequest } from "./send.ts";
import type { OpenSession, UpstreamJob } from "./sessions.ts";
import type { Spending } from "./spending.ts";

export type SessionOptions = {
  send: SendContext;
  pace: Pace;
  upstream: Upstream;
  job: UpstreamJob;
  access: AccessKind;
  owner: Session["owner"];
  credentialId: string | null;
  subjectId: string | null;
  baseUrl: string;
  transport: Access;
  publicAccess: Access;
  spending: Spending | null;
  nowMs: number;
};

export function openSession(options: SessionOptions): OpenSession {
  const { upstream, baseUrl, spending } = options;
  const { access, owner, credentialId, subjectId, nowMs } = options;
  const platform: Platform = upstream.platform;

  async function send(
    outgoing: Pick<OutgoingRequest, "url" | "access" | "paid" | "patience">,
    { headers = {}, bucket }: Pick<UpstreamRequest, "headers" | "bucket">,
  ) {
    const { job, pace } = options;
    await pace.waitForTurn(job);
    const { readLimit } = upstream;
    const intervalMs = upstream.intervalMs?.(bucket) ?? 0;
    return await sendRequest(options.send, {
      ...outgoing,
      headers,
      bucket,
      readLimit,
      intervalMs,
      job,
    });
  }

  function makeSession(patience: Patience): Session {
    return {
      platform,
      access,
      owner,
      credentialId,
      subjectId,
      baseUrl,
      nowMs,
      get: async (request) => {
        const url = makeUrl(baseUrl, request.path, request.query);
        const { bill } = request;
        const paid = bill === undefined || spending === null ? null : spending.call(bill);
        return await send({ url, access: options.transport, paid, patience }, request);
      },
      getPublic: async (url, request) => {
        const target = withQuery(url, request.query);
        return await send(
          { url: target, access: options.publicAccess, paid: null, patience },
          request,
        );
      },
    };
  }

  return {
    ...makeSession("impatient"),
    patientSession: makeSession("patient"),
    cost: () => spending?.cost() ?? null,
  };
}

/** Throws unless `path` begins with a slash. */
function makeUrl(baseUrl: string, path: string, query: UpstreamRequest["query"]): URL {
  const base = new URL(baseUrl);
  if (!path.startsWith("/")) {
    throw new Error(`${JSON.stringify(path.slice(0, 100))} is not a path of ${base.host}`);
  }
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, "")}${path}`);
  return withQuery(url, query);
}

function withQuery(url: URL, query: UpstreamRequest["query"] = {}): URL {
  const requestUrl = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      requestUrl.searchParams.append(name, String(each));
    }
  }
  return requestUrl;
}
