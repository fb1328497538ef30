import { count, duration, type SettingsOf, settingDefaults } from "../../lib/settings/setting.ts";

const hourMs = 3_600_000;

export const sessionSettings = {
  idleMs: duration(
    "EARSHOT_SESSION_IDLE",
    7 * 24 * hourMs,
    1_000,
    "Idle time after which a session ends, to the minute.",
  ),
  maxAgeMs: duration(
    "EARSHOT_SESSION_MAX_AGE",
    30 * 24 * hourMs,
    1_000,
    "Maximum duration of a session.",
  ),
  maxPerAccount: count(
    "EARSHOT_MAX_SESSIONS",
    20,
    [1, 10_000],
    "Maximum number of sessions of an account; another one ends the least recently used.",
  ),
};

export const sessionRotation = {
  rotationMs: hourMs,
  /** Grace period of the former token after the first use of the new one. */
  gracePeriodMs: 60_000,
};

export type SessionSettings = SettingsOf<typeof sessionSettings> & typeof sessionRotation;

export const sessionDefaults: SessionSettings = {
  ...settingDefaults(sessionSettings),
  ...sessionRotation,
};
