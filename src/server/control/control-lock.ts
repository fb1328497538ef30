/** Commands hold the lock briefly, and a killed server may be slow to exit. */
export const lockWaitMs = 2_000;
