/** Commands lock briefly to see whether a server runs, and a killed server may be slow to exit. */
export const lockWaitMs = 2_000;
