import { appSettings, grantLimits } from "../../accounts/grants/settings.ts";
import { keySettings } from "../../accounts/keys/settings.ts";
import { limitSettings } from "../../accounts/limits.ts";
import { sessionRotation, sessionSettings } from "../../accounts/sessions/settings.ts";
import { signInLimits, signInSettings } from "../../accounts/sign-in/settings.ts";
import { usageSettings } from "../../accounts/usage/settings.ts";
import { archiveBoundSettings, archiveLimits, archiveSettings } from "../../archive/settings.ts";
import { databaseSettings } from "../../db/postgres/settings.ts";
import { httpLimits, httpSettings, searchLimits, searchSettings } from "../../http/settings.ts";
import { backfillLimits, backfillSettings } from "../../ingest/backfill/settings.ts";
import { importSettings } from "../../ingest/import/settings.ts";
import { ingestLimits, ingestSettings } from "../../ingest/ingest-settings.ts";
import { mastodonStreamSettings } from "../../ingest/mastodon/settings.ts";
import { jobLimits, jobSettings, runnerSettings } from "../../jobs/settings.ts";
import { webhookLimits, webhookSettings } from "../../jobs/webhooks/settings.ts";
import {
  choice,
  type Setting,
  type SettingTable,
  secretKey,
  text,
} from "../../lib/settings/setting.ts";
import { upstreamLimits, upstreamSettings } from "../../platforms/settings.ts";
import { gatewaySettings, nodeSettings } from "./node-settings.ts";

const dataSettings = {
  dir: text("EARSHOT_DATA_DIR", "./.earshot", "a folder", "The folder with all data."),
  secretKey: secretKey(
    "EARSHOT_SECRET_KEY",
    "Encrypts stored secrets, such as credentials. Without it, `secret.key` is created in the data folder.",
  ),
};

const logSettings = {
  level: choice(
    "EARSHOT_LOG_LEVEL",
    "info",
    ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    "The least severe messages that are logged.",
  ),
};

/** Configuration and documentation are generated from this table. */
export const settings = {
  data: { ...dataSettings, ...archiveSettings, ...archiveBoundSettings },
  database: databaseSettings,
  http: httpSettings,
  limits: limitSettings,
  signIn: signInSettings,
  sessions: sessionSettings,
  keys: keySettings,
  apps: appSettings,
  search: searchSettings,
  jobs: { ...jobSettings, ...runnerSettings },
  webhooks: webhookSettings,
  ingest: ingestSettings,
  mastodonStream: mastodonStreamSettings,
  backfill: backfillSettings,
  upstreams: upstreamSettings,
  usage: usageSettings,
  nodes: gatewaySettings,
  node: nodeSettings,
  import: importSettings,
  log: logSettings,
} satisfies Record<string, SettingTable>;

/** These cannot be configured. */
export const constants = {
  data: archiveLimits,
  http: httpLimits,
  signIn: signInLimits,
  sessions: sessionRotation,
  apps: grantLimits,
  search: searchLimits,
  jobs: jobLimits,
  webhooks: webhookLimits,
  ingest: ingestLimits,
  backfill: backfillLimits,
  upstreams: upstreamLimits,
} satisfies { readonly [Section in keyof typeof settings]?: Readonly<Record<string, unknown>> };

export function allSettings(): readonly Setting<unknown>[] {
  return Object.values(settings).flatMap((section) => Object.values<Setting<unknown>>(section));
}
