import type { HttpContext } from "../../context.ts";
import { createCachedValue } from "../../dashboard/cached-value.ts";
import type { PlatformStatus } from "../../dashboard/contract/status.ts";
import { problem } from "../../problems/write-problem.ts";
import { type PublicStatus, publicStatus } from "../../schemas/public-status.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const cacheMs = 5_000;
const timeoutMs = 5_000;

/** The response is built at most once every five seconds. */
export function addPublicStatusRoute(
  app: TypedApp,
  context: Pick<HttpContext, "clock" | "statusBoard" | "canReadArchive" | "isStoreFull">,
): void {
  const cachedStatus = createCachedValue(context.clock, cacheMs, async () => {
    const [{ from, to, platforms }, isReady] = await Promise.all([
      context.statusBoard.status("7d"),
      context.canReadArchive(),
    ]);
    const readyStatus = context.isStoreFull() ? "read only" : "ready";
    const body: PublicStatus = {
      status: isReady ? readyStatus : "not ready",
      from,
      to,
      platforms: platforms.map(publicPlatform),
    };
    return JSON.stringify(body);
  });

  app.route({
    method: "GET",
    url: "/v1/status",
    schema: {
      operationId: "readServiceStatus",
      summary: "Read the status of the service",
      description: "Coverage and live stream of each platform. Cached for five seconds.",
      tags: ["operation"],
      response: {
        200: jsonResponse("The status of the service.", publicStatus),
        ...problemResponses({ 503: "The archive did not respond in time." }),
      },
    },
    handler: async (_request, reply) => {
      const body = await cachedStatus.get(timeoutMs);
      if (body === null) {
        throw problem("unavailable", "timed out reading the status", {
          hint: "repeat the request after the seconds in Retry-After",
        });
      }
      return reply
        .header("cache-control", `public, max-age=${cacheMs / 1_000}`)
        .type("application/json; charset=utf-8")
        .send(body);
    },
  });
}

/** Omits hosts, error messages and sources, which only signed-in users can see. */
function publicPlatform({ platform, mode, posts, stream, coverage }: PlatformStatus) {
  const { held, gaps, complete_since } = coverage;
  return {
    platform,
    mode,
    posts,
    stream: stream && { status: stream.status, lag_ms: stream.lag_ms },
    coverage: { held: held.map(({ from, to }) => ({ from, to })), gaps: [...gaps], complete_since },
  };
}
