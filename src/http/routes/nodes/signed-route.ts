import type { HttpContext } from "../../context.ts";
import { nodeHook, requireSignedBody } from "../../middleware/signed-request.ts";
import { signResponseHook } from "./sign-response.ts";

export function signedRoute({ nodes }: Pick<HttpContext, "nodes">) {
  return {
    method: "POST",
    onRequest: nodeHook(nodes),
    onSend: signResponseHook(nodes),
    config: { checkBody: requireSignedBody },
  } as const;
}
