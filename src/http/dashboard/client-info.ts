import type { FastifyRequest } from "fastify";
import { addressNetwork } from "../../accounts/address-network.ts";
import { agentWords } from "../../accounts/sessions/agent-words.ts";
import type { Arrival } from "../../accounts/sign-in/sign-in.ts";
import type { DashboardCookies } from "./cookies.ts";

/** Where a sign-in comes from. The session that its browser held before ends with it, so that nobody can plant one. */
export function arrivalOf(request: FastifyRequest, cookies: DashboardCookies): Arrival {
  return {
    ...askerOf(request),
    leaves: cookies.session(request)?.id ?? null,
  };
}

/** The browser and the network of a request, in the words that its session remembers. */
export function askerOf(request: FastifyRequest): Pick<Arrival, "agent" | "addressGroup"> {
  return {
    agent: agentWords(request.headers["user-agent"]),
    addressGroup: addressNetwork(request.callerAddress),
  };
}
