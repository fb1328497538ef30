import { gatewaySettings, nodeSettings } from "../server/node-settings.ts";

const namesOf = (settings: Readonly<Record<string, { name: string }>>): readonly string[] =>
  Object.values(settings).map(({ name }) => name);

/** What counts for the other command alone. */
const roles = {
  node: {
    foreign: namesOf(gatewaySettings),
    told: "earshot serve alone; those of a node begin with EARSHOT_NODE_",
  },
  serve: {
    foreign: namesOf(nodeSettings),
    told: "earshot node alone; those of a server that nodes come to begin with EARSHOT_NODES_",
  },
} as const;

/**
 * What to tell whoever starts a node with settings of a gateway, or the other way round: their names differ by one letter. Null
 * where there is nothing to tell.
 */
export function otherRoleWarning(
  command: keyof typeof roles,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const { foreign, told } = roles[command];
  const idle = foreign.filter((name) => environment[name]);
  return idle.length === 0 ? null : `not used here: ${idle.join(", ")}, for ${told}`;
}
