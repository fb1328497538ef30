import type { Secrets } from "../credential.ts";

/** The token alone: key and secret of an application stay where they are stored. */
export const releasedToken = ({ token }: Secrets): Secrets | null =>
  token === undefined ? null : { token };
