import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance, FastifyRequest, InjectOptions } from "fastify";

const outer = new AsyncLocalStorage<FastifyRequest>();

export const outerRequest = (): FastifyRequest | null => outer.getStore() ?? null;

/** Sends a request as the caller of another, whose rate limits cover both. */
export async function answerWithin(
  app: FastifyInstance,
  request: FastifyRequest,
  inner: InjectOptions,
): Promise<{ status: number; text: string }> {
  const remoteAddress = request.callerAddress;
  // Awaited inside `run`: Fastify sends an injected request when it is awaited.
  const response = await outer.run(
    request,
    async () => await app.inject({ ...inner, remoteAddress }),
  );
  return { status: response.statusCode, text: response.body };
}
