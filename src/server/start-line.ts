import { currentAnalyzer } from "../archive/catalog/catalog.ts";
import { catalogMigrations } from "../archive/catalog/schema.ts";
import { segmentMigrations } from "../archive/segments/schema.ts";
import { controlMigrations } from "../db/migrations/control.ts";
import type { Config } from "./config.ts";
import { redactedSettings } from "./settings/redacted-settings.ts";
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
