import { withoutEnding } from "@earshot/query/tree";
import { EarshotError } from "../../lib/errors.ts";
import { isEnrolmentToken } from "../../remote/protocol/enrolment.ts";
import { isSigningKey } from "../../remote/protocol/keys.ts";
import type { Config } from "../config.ts";

export type NodeConfig = Config & { node: { gateway: string; enrolmentToken: string } };

/** Errors: `invalid_setting`. */
export function requireNodeSettings(config: Config): NodeConfig {
  const { node: settings, jobs } = config;
  const { gateway, gatewayKey, enrolmentToken, evidence } = settings;
  if (gateway === null) {
    throw invalidSetting("a gateway is required", "add --gateway URL, or set EARSHOT_NODE_GATEWAY");
  }
  if (gatewayKey !== null && !isSigningKey(gatewayKey)) {
    throw invalidSetting(
      "EARSHOT_NODE_GATEWAY_KEY must be 43 letters, digits, - and _",
      "print it with earshot nodes key on the gateway",
    );
  }
  if (evidence === "tdx" && gatewayKey === null) {
    throw invalidSetting(
      "tdx evidence requires EARSHOT_NODE_GATEWAY_KEY, so that the machine's operator cannot substitute another gateway",
      `on a TDX machine, run earshot node --gateway ${gateway} --gateway-key KEY, with the key that earshot nodes key prints on the gateway; ` +
        `on another, run EARSHOT_NODE_EVIDENCE=none earshot node --gateway ${gateway}, and the gateway with EARSHOT_NODES_EVIDENCE=tdx,none`,
    );
  }
  if (jobs.concurrency + jobs.fetchConcurrency === 0) {
    throw invalidSetting(
      "EARSHOT_NODE_CONCURRENCY and EARSHOT_NODE_FETCH_CONCURRENCY must not both be 0",
      "unset one of them to use its default",
    );
  }
  if (enrolmentToken === null || !isEnrolmentToken(enrolmentToken)) {
    throw invalidSetting(
      `EARSHOT_NODE_ENROLMENT_TOKEN is ${enrolmentToken === null ? "required" : "not an enrolment token"}`,
      "print a node's settings with earshot nodes enroll on the gateway",
    );
  }
  return { ...config, node: { ...settings, enrolmentToken, gateway: withoutEnding(gateway, "/") } };
}

function invalidSetting(message: string, hint: string): EarshotError {
  return new EarshotError("invalid_setting", message, { status: 400, hint });
}
