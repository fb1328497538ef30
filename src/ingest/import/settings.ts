import { count, type SettingsOf, settingDefaults } from "../../lib/settings/setting.ts";

export const importSettings = {
  maxBytes: count(
    "EARSHOT_IMPORT_MAX_BYTES",
    100 * 1024 ** 3,
    [1_024, 1_000 * 1024 ** 4],
    "Maximum decompressed size of an imported file.",
  ),
  maxRatio: count(
    "EARSHOT_IMPORT_MAX_RATIO",
    200,
    [1, 1_000_000],
    "Maximum compression ratio of an imported file.",
  ),
  maxLineBytes: count(
    "EARSHOT_IMPORT_MAX_LINE_BYTES",
    1024 ** 2,
    [1_024, 1024 ** 3],
    "Maximum length of a line in an imported file; longer lines are rejected.",
  ),
  maxDepth: count(
    "EARSHOT_IMPORT_MAX_DEPTH",
    16,
    [1, 1_000],
    "Maximum nesting of the JSON in an imported line.",
  ),
};

export type ImportLimits = SettingsOf<typeof importSettings>;

export const defaultImportLimits: ImportLimits = settingDefaults(importSettings);
