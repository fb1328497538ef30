import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance, FastifyRequest, InjectOptions } from "fastify";

const outer = new AsyncLocalStorage<FastifyRequest>();

/** The admitted request that this one is part of. */
export const outerRequest = (): FastifyRequest | null => outer.getStore() ?? null;

/** Sends a request as the caller of another one, whose rate limits cover both. */
export async function answerWithin(
  app: FastifyInstance,
  request: FastifyRequest,
  inner: InjectOptions,
): Promise<{ status: number; text: string }> {
  const remoteAddress = request.callerAddress;
  // Fastify sends an injected request when it is awaited, so it is awaited inside `run`.
  const response = await outer.run(
    request,
    async () => await app.inject({ ...inner, remoteAddress }),
  );
  return { status: response.statusCode, text: response.body };
}
