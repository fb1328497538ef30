import type { HttpContext } from "../../context.ts";
import type { TypedApp } from "../typed-app.ts";

/** POST /internal/nodes/challenge: the number that a node's evidence has to hold. Whoever asks has no keys yet: it is not signed. */
export function addChallengeRoute(app: TypedApp, { nodes }: Pick<HttpContext, "nodes">): void {
  app.route({
    method: "POST",
    url: "/internal/nodes/challenge",
    handler: async (request, reply) =>
      reply.header("cache-control", "no-store").send(nodes.challenge(request.ip)),
  });
}
