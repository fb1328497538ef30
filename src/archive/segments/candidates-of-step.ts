export const candidatesPerStep = 128;

export const recheckedPerStep = 16;
