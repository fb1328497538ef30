import type { Secrets } from "../credential.ts";

/** Key and secret of an application are never released. */
export const releasedToken = ({ token }: Secrets): Secrets | null =>
  token === undefined ? null : { token };
