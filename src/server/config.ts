import { EarshotError, type ErrorDetail } from "../lib/errors.ts";
import type { Setting, SettingsOf } from "../lib/settings/setting.ts";
import type { Environment } from "./environment.ts";
import { constants, settings } from "./settings/settings.ts";

type Table = typeof settings;
type Constants = typeof constants;

/** Durations are in milliseconds, sizes in bytes. */
export type Config = {
  [Section in keyof Table]: SettingsOf<Table[Section]> &
    (Section extends keyof Constants ? Constants[Section] : unknown);
};

/** Errors: `invalid_setting`, with all invalid settings in the details. */
export function configFrom(environment: Environment): Config {
  const errors: ErrorDetail[] = [];

  function readSetting<T>(setting: Setting<T>): T {
    const value = environment[setting.name];
    if (value === undefined) return setting.fallback;
    const parsed = setting.parse(value.trim());
    if (parsed !== undefined) return parsed;
    const text = setting.isSecret === true ? "not readable" : JSON.stringify(value);
    errors.push({
      code: "invalid_setting",
      message: `${setting.name} must be ${setting.expected}, not ${text}`,
      hint: `unset it for the default, ${setting.defaultText}`,
    });
    return setting.fallback;
  }

  const sections = Object.entries(settings).map(([section, table]) => {
    const values = Object.entries<Setting<unknown>>(table).map(([name, setting]) => [
      name,
      readSetting(setting),
    ]);
    return [section, { ...getConstants(section), ...Object.fromEntries(values) }];
  });

  const firstError = errors[0];
  // The type of fromEntries loses keys and values.
  if (firstError === undefined) return Object.fromEntries(sections) as Config;
  const moreText = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new EarshotError("invalid_setting", `${firstError.message}${moreText}`, {
    hint:
      errors.length > 1 ? errors.map(({ message }) => message).join("; ") : (firstError.hint ?? ""),
    details: errors,
  });
}

function getConstants(section: string): Readonly<Record<string, unknown>> {
  const bySection: Readonly<Record<string, Readonly<Record<string, unknown>>>> = constants;
  return bySection[section] ?? {};
}
