import { withoutEnding } from "@earshot/query/tree";
import { EarshotError } from "../lib/errors.ts";
import { isEnrolmentToken } from "../remote/protocol/enrolment.ts";
import { isSigningKey } from "../remote/protocol/keys.ts";
import type { Config } from "./config.ts";

export type NodeConfig = Config & { node: { gateway: string; enrolmentToken: string } };

/** Errors: `invalid_setting`. */
export function requireNodeSettings(config: Config): NodeConfig {
  const { node: settings, jobs } = config;
  const { gateway, gatewayKey, enrolmentToken, evidence } = settings;
  if (gateway === null) {
    throw invalid(
      "a node needs its gateway",
      "name it with --gateway URL, or set EARSHOT_NODE_GATEWAY",
    );
  }
  if (gatewayKey !== null && !isSigningKey(gatewayKey)) {
    throw invalid(
      "EARSHOT_NODE_GATEWAY_KEY is not a key",
      "it has 43 letters, digits, - and _; `earshot nodes key` prints it at the gateway",
    );
  }
  if (evidence === "tdx" && gatewayKey === null) {
    throw invalid(
      "tdx evidence needs EARSHOT_NODE_GATEWAY_KEY: without it the machine's operator could substitute another gateway for yours",
      `on a TDX machine run \`earshot node --gateway ${gateway} --gateway-key KEY\`, with what \`earshot nodes key\` prints at the gateway; ` +
        `on any other \`EARSHOT_NODE_EVIDENCE=none earshot node --gateway ${gateway}\`, once the gateway runs with EARSHOT_NODES_EVIDENCE=tdx,none`,
    );
  }
  if (jobs.concurrency + jobs.fetchConcurrency === 0) {
    throw invalid(
      "EARSHOT_NODE_CONCURRENCY and EARSHOT_NODE_FETCH_CONCURRENCY are both 0: the node would run nothing",
      "leave one of them out for its default",
    );
  }
  if (enrolmentToken === null || !isEnrolmentToken(enrolmentToken)) {
    throw invalid(
      `EARSHOT_NODE_ENROLMENT_TOKEN is ${enrolmentToken === null ? "missing" : "not an enrolment token"}`,
      "`earshot nodes enroll` prints the settings of a node at the gateway",
    );
  }
  return { ...config, node: { ...settings, enrolmentToken, gateway: withoutEnding(gateway, "/") } };
}

function invalid(message: string, hint: string): EarshotError {
  return new EarshotError("invalid_setting", message, { status: 400, hint });
}
