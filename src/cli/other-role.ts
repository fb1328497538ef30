import { gatewaySettings, nodeSettings } from "../server/settings/node-settings.ts";

const settingsNames = (settings: Readonly<Record<string, { name: string }>>): readonly string[] =>
  Object.values(settings).map(({ name }) => name);

const roles = {
  node: {
    otherSettings: settingsNames(gatewaySettings),
    hint: "which only earshot serve reads; settings of nodes begin with EARSHOT_NODE_",
  },
  serve: {
    otherSettings: settingsNames(nodeSettings),
    hint: "which only earshot node reads; settings of the gateway begin with EARSHOT_NODES_",
  },
} as const;

/** Warns about mistaken names: settings of gateway and node differ by one letter. */
export function otherRoleWarning(
  command: keyof typeof roles,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const { otherSettings, hint } = roles[command];
  const ignored = otherSettings.filter((name) => environment[name]);
  return ignored.length === 0 ? null : `ignored: ${ignored.join(", ")}, ${hint}`;
}
