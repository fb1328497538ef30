import type { FastifyRequest } from "fastify";
import { addressNetwork } from "../../accounts/client-addresses.ts";
import { describeUserAgent } from "../../accounts/sessions/describe-user-agent.ts";
import type { ClientInfo } from "../../accounts/sign-in/sign-in.ts";
import type { DashboardCookies } from "./cookies.ts";

/** A sign-in ends the browser's previous session, to prevent session fixation. */
export function readClientInfo(request: FastifyRequest, cookies: DashboardCookies): ClientInfo {
  return {
    ...clientOrigin(request),
    previousSession: cookies.session(request)?.id ?? null,
  };
}

export function clientOrigin(request: FastifyRequest): Pick<ClientInfo, "agent" | "addressGroup"> {
  return {
    agent: describeUserAgent(request.headers["user-agent"]),
    addressGroup: addressNetwork(request.callerAddress),
  };
}
