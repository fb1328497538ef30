import type { FastifyRequest } from "fastify";
import { addressNetwork } from "../../accounts/address-network.ts";
import { agentWords } from "../../accounts/sessions/agent-words.ts";
import type { ClientInfo } from "../../accounts/sign-in/sign-in.ts";
import type { DashboardCookies } from "./cookies.ts";

/** Where a sign-in comes from. The session that its browser held before ends with it, so that nobody can plant one. */
export function clientInfoOf(request: FastifyRequest, cookies: DashboardCookies): ClientInfo {
  return {
    ...askerOf(request),
    leaves: cookies.session(request)?.id ?? null,
  };
}

/** The browser and the network of a request, in the words that its session remembers. */
export function askerOf(request: FastifyRequest): Pick<ClientInfo, "agent" | "addressGroup"> {
  return {
    agent: agentWords(request.headers["user-agent"]),
    addressGroup: addressNetwork(request.callerAddress),
  };
}
