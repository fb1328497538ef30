import { gatewaySettings, nodeSettings } from "../server/settings/node-settings.ts";

const namesOf = (settings: Readonly<Record<string, { name: string }>>): readonly string[] =>
  Object.values(settings).map(({ name }) => name);

const roles = {
  node: {
    foreign: namesOf(gatewaySettings),
    hint: "which only earshot serve reads; settings of nodes begin with EARSHOT_NODE_",
  },
  serve: {
    foreign: namesOf(nodeSettings),
    hint: "which only earshot node reads; settings of the gateway begin with EARSHOT_NODES_",
  },
} as const;

/** Settings of gateway and node differ by one letter. */
export function otherRoleWarning(
  command: keyof typeof roles,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const { foreign, hint } = roles[command];
  const idle = foreign.filter((name) => environment[name]);
  return idle.length === 0 ? null : `ignored: ${idle.join(", ")}, ${hint}`;
}
