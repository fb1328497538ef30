import { isHttpUrl } from "../identity.ts";

const maxUrlLength = 8_192;

export const asHttpUrl = (value: unknown): string | null =>
  typeof value === "string" &&
  value.length <= maxUrlLength &&
  !/[\s\p{Cc}]/u.test(value) &&
  value.isWellFormed() &&
  isHttpUrl(value)
    ? value
    : null;
