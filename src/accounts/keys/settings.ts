import { count, duration } from "../../lib/settings/setting.ts";
import { defaultRetentionMs } from "../closed-identities.ts";
import { keyDefaults } from "./key.ts";

export const keySettings = {
  maxKeysPerAccount: count(
    "EARSHOT_MAX_KEYS_PER_ACCOUNT",
    keyDefaults.maxPerAccount,
    [1, 1_000],
    "Maximum number of keys of an account. Rotated keys do not count.",
  ),
  newKeysPerDay: count(
    "EARSHOT_NEW_KEYS_PER_DAY",
    keyDefaults.newPerDay,
    [1, 100_000],
    "Keys that an account can create on the dashboard in any 24 hours, rotations included.",
  ),
  deletedAccountMs: duration(
    "EARSHOT_DELETED_ACCOUNT_MEMORY",
    defaultRetentionMs,
    0,
    "How long the limits and the key count of a deleted account are stored under a keyed hash, in case its owner signs up again.",
  ),
};
