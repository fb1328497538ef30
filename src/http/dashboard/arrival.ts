import type { FastifyRequest } from "fastify";
import { addressNetwork } from "../../accounts/address-network.ts";
import { agentWords } from "../../accounts/sessions/agent-words.ts";
import { hashOfSecret } from "../../accounts/sessions/session-token.ts";
import type { Arrival } from "../../accounts/sign-in/sign-in.ts";
import type { DashboardCookies } from "./cookies.ts";

/** Where a sign-in comes from. The session that its browser held before ends with it, so that nobody can plant one. */
export function arrivalOf(request: FastifyRequest, cookies: DashboardCookies): Arrival {
  const held = cookies.session(request);
  return {
    agent: agentWords(request.headers["user-agent"]),
    addressGroup: addressNetwork(request.ip),
    leaves: held === null ? null : { id: held.id, secretHash: hashOfSecret(held.secret) },
  };
}
