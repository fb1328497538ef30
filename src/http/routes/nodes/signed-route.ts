import type { HttpContext } from "../../context.ts";
import { nodeHook, requireSignedBody } from "../../middleware/signed-request.ts";
import { signAnswerHook } from "./sign-answer.ts";

export function signedRoute({ nodes }: Pick<HttpContext, "nodes">) {
  return {
    method: "POST",
    onRequest: nodeHook(nodes),
    onSend: signAnswerHook(nodes),
    config: { checkBody: requireSignedBody },
  } as const;
}
