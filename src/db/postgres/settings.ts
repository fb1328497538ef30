import { count, duration } from "../../lib/settings/kinds.ts";
import {
  matching,
  orNone,
  type Setting,
  type SettingsOf,
  setting,
} from "../../lib/settings/setting.ts";

export const databaseSettings = {
  url: databaseUrl(
    "EARSHOT_DATABASE_URL",
    "PostgreSQL for accounts, keys, limits and jobs, so that several gateways can share them. `none` keeps them in a file of the data folder. `?sslmode=verify-full` checks the server's certificate; further hosts may follow after commas.",
  ),
  connections: count(
    "EARSHOT_DATABASE_CONNECTIONS",
    10,
    [2, 1_000],
    "Most connections of a gateway to PostgreSQL, besides two for notifications and for leading.",
  ),
  timeoutMs: duration(
    "EARSHOT_DATABASE_TIMEOUT",
    5_000,
    100,
    "Time after which PostgreSQL ends a statement. A server that does not answer for twice as long is given up, and requests are refused until it does.",
  ),
};

function databaseUrl(name: string, meaning: string): Setting<string | null> {
  const kind = matching(
    "an address such as postgres://user:password@host/database",
    /^postgres(?:ql)?:\/\/./,
  );
  return { ...setting(name, orNone(kind, null), null, meaning), isSecret: true };
}

export type DatabaseSettings = SettingsOf<typeof databaseSettings>;
