import type { HttpContext } from "../../context.ts";
import { nodeHook, requireSignedBody } from "../../middleware/signed-request.ts";
import { signAnswerHook } from "./sign-answer.ts";

/** What the routes have in common whose requests a node signs with the keys that it has attested. */
export function signedRoute({ nodes }: Pick<HttpContext, "nodes">) {
  return {
    method: "POST",
    onRequest: nodeHook(nodes),
    onSend: signAnswerHook(nodes),
    config: { checkBody: requireSignedBody },
  } as const;
}
