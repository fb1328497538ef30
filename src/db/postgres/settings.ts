import {
  count,
  duration,
  matching,
  orNone,
  type Setting,
  type SettingsOf,
  setting,
} from "../../lib/settings/setting.ts";

export const databaseSettings = {
  url: databaseUrl(
    "EARSHOT_DATABASE_URL",
    "PostgreSQL for accounts, keys, limits and jobs, which several gateways can share (docs/scaling.md). `none` stores them in the data folder.",
  ),
  connections: count(
    "EARSHOT_DATABASE_CONNECTIONS",
    10,
    [2, 1_000],
    "Maximum connections of a gateway to PostgreSQL, plus two for notifications and leader election.",
  ),
  timeoutMs: duration(
    "EARSHOT_DATABASE_TIMEOUT",
    5_000,
    100,
    "Time after which PostgreSQL ends a statement. After twice as long without a response, requests are rejected.",
  ),
};

function databaseUrl(name: string, description: string): Setting<string | null> {
  const kind = matching(
    "a URL such as postgres://user:password@host/database",
    /^postgres(?:ql)?:\/\/./,
  );
  return { ...setting(name, orNone(kind, null), null, description), isSecret: true };
}

export type DatabaseSettings = SettingsOf<typeof databaseSettings>;
