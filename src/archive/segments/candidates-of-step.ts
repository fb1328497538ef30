/** Candidates between checks of the deadline. */
export const candidatesOfStep = 128;

/** The same if each row is decoded and matched. */
export const recheckedOfStep = 16;
