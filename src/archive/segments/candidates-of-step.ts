/** Candidates checked between checks of the deadline. */
export const candidatesOfStep = 128;

/** Same, if each row is decoded and matched. */
export const recheckedOfStep = 16;
