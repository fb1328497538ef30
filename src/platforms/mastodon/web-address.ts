import { isWebAddress } from "../identity.ts";

const maxAddressLength = 8_192;

export const webAddress = (value: unknown): string | null =>
  typeof value === "string" &&
  value.length <= maxAddressLength &&
  !/[\s\p{Cc}]/u.test(value) &&
  value.isWellFormed() &&
  isWebAddress(value)
    ? value
    : null;
