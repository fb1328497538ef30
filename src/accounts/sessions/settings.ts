/** How long sessions live, in milliseconds, and how many there are. */
export type SessionSettings = {
  /** Without a request for so long a session ends. */
  idleMs: number;
  /** So long after the sign-in it ends in any case. */
  maxAgeMs: number;
  /** So old a secret is replaced when the page asks for its session. */
  rotationMs: number;
  /** How long a secret that was replaced is still good once the one in its place was used. */
  formerMs: number;
  /** Of one account; one more ends the one that was used longest ago. */
  maxPerAccount: number;
};

const hourMs = 3_600_000;

export const sessionDefaults: SessionSettings = {
  idleMs: 7 * 24 * hourMs,
  maxAgeMs: 30 * 24 * hourMs,
  rotationMs: hourMs,
  formerMs: 60_000,
  maxPerAccount: 20,
};
