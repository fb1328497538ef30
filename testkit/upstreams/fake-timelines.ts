import type { Headers } from "undici";
import { EarshotError } from "../../src/lib/errors.ts";
import { type Method, methodNames } from "../../src/platforms/methods.ts";
import type { Session } from "../../src/platforms/session.ts";
import type {
  AccessKind,
  Limit,
  MethodSupport,
  PageCall,
  Upstream,
  UpstreamPage,
} from "../../src/platforms/upstream.ts";
import type { Platform } from "../../src/posts/post.ts";
import { makePost } from "../data/make-post.ts";

export type FakeTimelines = {
  platform: Platform;
  access: AccessKind;
  publicBaseUrl: string | null;
  bucket: () => string;
};

/** Serves `GET /posts`, with pages of `{ids, next}`. */
export function fakeTimelines({
  platform,
  access,
  publicBaseUrl,
  bucket,
}: FakeTimelines): Upstream {
  const support: MethodSupport = { access: [access], endpoint: "GET /posts", note: "" };
  const rows = methodNames.map((name): [Method, MethodSupport] => [name, support]);

  async function page({ cursor, limit }: PageCall, session: Session): Promise<UpstreamPage> {
    const query = { cursor: cursor ?? undefined, limit };
    const { status, json } = await session.get({ path: "/posts", query, bucket: bucket() });
    if (status === 404) return { items: [], next: null, isAbsent: true };
    if (status >= 400) {
      throw new EarshotError("upstream_refused", `the platform refused the request (${status})`, {
        status: 502,
      });
    }
    const { ids = [], next = null } = json as { ids?: string[]; next?: string | null };
    return { items: ids.map((key) => ({ kind: "post", post: makePost({ key }) })), next };
  }

  return {
    platform,
    support: Object.fromEntries(rows) as Record<Method, MethodSupport>,
    page,
    search: null,
    publicBaseUrl,
    readLimit,
    computePrice: null,
    displayScope: () => "everything",
  };
}

function readLimit(headers: Headers): Limit | null {
  const remaining = headers.get("ratelimit-remaining");
  const resetMs = headers.get("ratelimit-reset-ms");
  if (remaining === null || resetMs === null) return null;
  return { remaining: Number(remaining), resetMs: Number(resetMs) };
}
