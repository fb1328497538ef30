/** How many candidates are looked at, or rows read, between two glances at the deadline. */
export const candidatesOfStep = 128;

/** The same where the row of each candidate is read, decoded and matched. */
export const recheckedOfStep = 16;
