import type { FastifyRequest } from "fastify";
import { problem } from "../problems/write-problem.ts";

/** Refuses compressed bodies: their size is unbounded. */
export async function plainBodyHook(request: FastifyRequest): Promise<void> {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return;
  throw problem("unsupported_media_type", "compressed bodies are not supported", {
    hint: "send the body without Content-Encoding",
  });
}
