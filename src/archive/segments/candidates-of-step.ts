export const candidatesOfStep = 128;

export const recheckedOfStep = 16;
