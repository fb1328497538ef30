import { nearest } from "@earshot/query";
import { EarshotError } from "../lib/errors.ts";
import { allSettings } from "./settings/settings.ts";

export type Environment = Readonly<Record<string, string>>;

const prefix = "EARSHOT_";
/**
 * Used by commands that call a service (cli/remote/choose-service.ts); a shell may export them for
 * all commands.
 */
const clientNames = new Set(["EARSHOT_URL", "EARSHOT_API_KEY", "EARSHOT_PROFILE"]);

/**
 * Empty variables count as unset. Errors: `unknown_setting`, so that a typo never leaves a default
 * in force.
 */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const names = allSettings().map((setting) => setting.name);
  const knownNames = new Set(names);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (!name.startsWith(prefix) || value === undefined || value === "") continue;
    if (clientNames.has(name)) continue;
    if (!knownNames.has(name)) throw unknownSetting(name, names);
    environment[name] = value;
  }
  return environment;
}

/** Old names too different from the new ones for `nearest`. */
const newNames: ReadonlyMap<string, string> = new Map([
  ["EARSHOT_MAX_HELD_REQUESTS", "EARSHOT_MAX_WAITING_REQUESTS"],
]);

const unknownSetting = (name: string, names: readonly string[]): EarshotError =>
  new EarshotError("unknown_setting", `unknown setting ${name}`, { hint: hintFor(name, names) });

function hintFor(name: string, names: readonly string[]): string {
  const newName = newNames.get(name);
  if (newName !== undefined) return `it was renamed: set ${newName} instead`;
  const suggestion = nearest(name, names);
  return suggestion === null
    ? "see docs/configuration.md for all settings"
    : `did you mean ${suggestion}? See docs/configuration.md for all settings`;
}
