/** How many candidates are looked at, or rows read, between two glances at the deadline. */
export const candidatesOfStep = 128;
