import { currentAnalyzer } from "../archive/catalog/catalog.ts";
import { catalogMigrations } from "../archive/catalog/schema.ts";
import { segmentMigrations } from "../archive/segments/schema.ts";
import { controlMigrations } from "../db/migrations/control.ts";
import type { Setting } from "../lib/settings/setting.ts";
import type { Config } from "./config.ts";
import { settings } from "./settings/settings.ts";
import { packageVersion } from "./version.ts";

export function startLine(config: Config) {
  return {
    version: packageVersion(),
    node: process.version,
    pid: process.pid,
    settings: redactedSettings(config),
    schema: {
      control: controlMigrations.length,
      archive: catalogMigrations.length,
      segments: segmentMigrations.length,
      analyzer: currentAnalyzer,
    },
  };
}

/**
 * Settings that differ from their defaults: secrets become "[set]"; URLs lose user name, password
 * and query.
 */
export function redactedSettings(config: Config): Record<string, unknown> {
  const values: Record<string, Record<string, unknown>> = config;
  const redactedValues: Record<string, unknown> = {};
  for (const [section, table] of Object.entries(settings)) {
    for (const [name, setting] of Object.entries<Setting<unknown>>(table)) {
      const value = values[section]?.[name];
      if (JSON.stringify(value) === JSON.stringify(setting.fallback)) continue;
      redactedValues[setting.name] = setting.isSecret === true ? "[set]" : withoutSecrets(value);
    }
  }
  return redactedValues;
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "string" || !value.includes("://")) return value;
  const url = URL.parse(value);
  return url === null ? "[invalid URL]" : `${url.protocol}//${url.host}${url.pathname}`;
}
