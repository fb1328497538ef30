import type { AnswerRequest } from "../../platforms/source.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { CredentialPool } from "../../upstream/credentials/pool.ts";
import {
  type ReleasedCredential,
  toReleasedCredential,
} from "../../upstream/credentials/release.ts";
import { findCredentials } from "../../upstream/requests/create-sessions.ts";
import { accessFor, isOwnMethod } from "../context.ts";

/** The best credential that can be released to a remote node, or that of the previous page. */
export async function releaseCredential(
  { pool, upstream, nowMs }: { pool: CredentialPool; upstream: Upstream; nowMs: number },
  { type, method, position = null }: Pick<AnswerRequest, "type" | "method" | "position">,
  /** If empty, only the deployment's credentials are used. */
  accountId: string,
): Promise<ReleasedCredential | null> {
  if (isOwnMethod(method, upstream)) return null;
  const credentials = await findCredentials(pool, {
    job: { accountId },
    platform: upstream.platform,
    access: accessFor(type, method, upstream),
    ownership: "any",
    bucket: null,
    host: null,
    credentialId: position?.credentialId ?? null,
  });
  const releasedCredentials = credentials.flatMap(
    (credential) => toReleasedCredential(credential, nowMs) ?? [],
  );
  const bestCredential =
    releasedCredentials.find(({ coolings }) => coolings.length === 0) ?? releasedCredentials[0];
  if (bestCredential === undefined) return null;
  pool.recordUse(bestCredential.id);
  return bestCredential;
}
