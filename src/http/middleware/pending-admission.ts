import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../context.ts";
import { problemText, publicCode, toProblem } from "../problems/write-problem.ts";

/** For requests that ended before their submission, such as with an invalid body: a refusal takes precedence. */
export function admitBeforeAnswer({ metrics }: Pick<HttpContext, "metrics">) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<unknown> => {
    if (request.pendingAdmission === null) return payload;
    try {
      await request.pendingAdmission.admit();
      return payload;
    } catch (thrown) {
      const failure = toProblem(thrown);
      if (payload instanceof Readable) payload.destroy();
      metrics.problems.inc({ code: publicCode(failure) });
      return problemText(failure, request, reply);
    }
  };
}
