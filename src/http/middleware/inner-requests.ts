import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance, FastifyRequest, InjectOptions } from "fastify";

const outer = new AsyncLocalStorage<FastifyRequest>();

/** The admitted request that this one is part of. */
export const outerRequest = (): FastifyRequest | null => outer.getStore() ?? null;

/** As the caller of another request, which has paid for both. */
export async function answerWithin(
  app: FastifyInstance,
  request: FastifyRequest,
  inner: InjectOptions,
): Promise<{ status: number; text: string }> {
  const remoteAddress = request.callerAddress;
  // Fastify sends it when it is awaited.
  const answer = await outer.run(
    request,
    async () => await app.inject({ ...inner, remoteAddress }),
  );
  return { status: answer.statusCode, text: answer.body };
}
