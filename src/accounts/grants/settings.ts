import { urlListOrNone } from "../../lib/settings/network-kinds.ts";

export const appSettings = {
  privateHosts: urlListOrNone(
    "EARSHOT_APP_PRIVATE_HOSTS",
    [],
    ["https:"],
    "Hosts with private addresses from which the client metadata documents of OAuth apps can be fetched.",
  ),
};

export const grantLimits = {
  consentMs: 600_000,
  codeMs: 60_000,
  accessMs: 3_600_000,
  /** Counted from the last refresh. */
  refreshMs: 60 * 86_400_000,
};
