import type { Config } from "../server/config.ts";
import { gatewaySettings, nodeSettings } from "../server/settings/node-settings.ts";
import { exitBySignal } from "./terminal/signals.ts";
import type { Terminal } from "./terminal/terminal.ts";

const exitDelayMs = 300;

/** Does not wait for a running search, which cannot be interrupted; its job runs again after the restart. */
export function exitSoon(): void {
  setTimeout(() => exitBySignal("SIGTERM"), exitDelayMs).unref();
}

/** Logs only warnings on a terminal unless a level is set. */
export function withQuietLog(config: Config, { interactiveNotes, environment }: Terminal): Config {
  if (!interactiveNotes || environment.EARSHOT_LOG_LEVEL) return config;
  return { ...config, log: { level: "warn" } };
}

const settingsNames = (settings: Readonly<Record<string, { name: string }>>): readonly string[] =>
  Object.values(settings).map(({ name }) => name);

const roles = {
  node: {
    otherSettings: settingsNames(gatewaySettings),
    hint: "which only earshot serve reads; node settings begin with EARSHOT_NODE_",
  },
  serve: {
    otherSettings: settingsNames(nodeSettings),
    hint: "which only earshot node reads; gateway settings begin with EARSHOT_NODES_",
  },
} as const;

/** Warns about settings of the other role, whose names may differ by only one letter. */
export function otherRoleWarning(
  command: keyof typeof roles,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const { otherSettings, hint } = roles[command];
  const ignoredNames = otherSettings.filter((name) => environment[name]);
  return ignoredNames.length === 0 ? null : `ignored: ${ignoredNames.join(", ")}, ${hint}`;
}
