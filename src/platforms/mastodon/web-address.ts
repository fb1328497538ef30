import { isWebAddress } from "../identity.ts";

const addressLength = 8_192;

/** An address of the web as it is written; null for anything else. */
export const webAddress = (value: unknown): string | null =>
  typeof value === "string" &&
  value.length <= addressLength &&
  !/[\s\p{Cc}]/u.test(value) &&
  value.isWellFormed() &&
  isWebAddress(value)
    ? value
    : null;
