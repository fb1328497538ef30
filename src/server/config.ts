import { EarshotError, type ErrorDetail } from "../lib/errors.ts";
import type { Environment } from "./environment.ts";
import type { Setting } from "./setting-kinds.ts";
import { settings } from "./settings.ts";

type Table = typeof settings;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Every setting with its value: sections of settings.ts, durations in milliseconds, sizes in bytes. */
export type Config = {
  [Section in keyof Table]: {
    [Name in keyof Table[Section]]: ValueOf<Table[Section][Name]>;
  };
};

/**
 * The configuration that an environment describes. A value that cannot be read is an `invalid_setting` that names the
 * variable, the value and what is expected; all of them are in the details.
 */
export function configFrom(environment: Environment): Config {
  const faults: ErrorDetail[] = [];

  function value<T>(setting: Setting<T>): T {
    const written = environment[setting.name];
    if (written === undefined) return setting.fallback;
    const outcome = setting.read(written);
    if (outcome.ok) return outcome.value;
    const shown = setting.isSecret === true ? "not readable" : JSON.stringify(written);
    faults.push({
      code: "invalid_setting",
      message: `${setting.name} is ${shown}, expected ${setting.expected}`,
      hint: `leave it out for the default, ${setting.defaultText}`,
    });
    return setting.fallback;
  }

  const sections = Object.entries(settings).map(([section, table]) => {
    const values = Object.entries<Setting<unknown>>(table).map(([name, setting]) => [
      name,
      value(setting),
    ]);
    return [section, Object.fromEntries(values)];
  });

  const first = faults[0];
  // The keys and values are the table's own, entry by entry, which the type of fromEntries cannot say.
  if (first === undefined) return Object.fromEntries(sections) as Config;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  throw new EarshotError("invalid_setting", `${first.message}${more}`, {
    hint: faults.length > 1 ? faults.map((fault) => fault.message).join("; ") : (first.hint ?? ""),
    details: faults,
  });
}
