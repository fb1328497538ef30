import type { Secrets } from "../credential.ts";

/** An application's key and secret are never released. */
export const releasedToken = ({ token }: Secrets): Secrets | null =>
  token === undefined ? null : { token };
