import { fetch as undiciFetch } from "undici";
import { EarshotError } from "../../src/lib/errors.ts";
import { answerOf } from "../../src/lib/fetched-answer.ts";
import type {
  Credential,
  CredentialTools,
  LeasedCredential,
  NewCredential,
  Secrets,
} from "../../src/platforms/credential.ts";

/** Other hosts are unreachable. */
export function testTools(): CredentialTools & { time: { ms: number } } {
  const time = { ms: Date.parse("2026-11-21T12:00:00Z") };
  return {
    time,
    now: () => time.ms,
    randomBytes: (length) => new Uint8Array(length).fill(7),
    fetch: async (url, { method = "GET", body, headers = {}, signal } = {}) => {
      if (url.hostname !== "127.0.0.1") throw new EarshotError("upstream_unreachable", url.host);
      const response = await undiciFetch(url, {
        method,
        headers,
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      return answerOf(url, response, Buffer.from(await response.arrayBuffer()));
    },
  };
}

/** Concurrent callers share one renewal. */
export function stored(made: NewCredential): LeasedCredential & { renewals: () => number } {
  let secrets = made.secrets;
  let renewal: Promise<Secrets> | null = null;
  let renewals = 0;
  const credential: Credential = {
    id: "credential",
    accountId: "account",
    platform: "bluesky",
    kind: "test",
    host: made.host,
    subject: made.subject,
    subjectName: made.subjectName,
    hint: made.hint,
    createdMs: 0,
    usedMs: null,
    quarantine: null,
    coolings: [],
  };
  return {
    credential,
    renewals: () => renewals,
    secrets: () => secrets,
    renew: async (seen, make) => {
      if (JSON.stringify(seen) !== JSON.stringify(secrets)) return secrets;
      renewal ??= renew(make).finally(() => {
        renewal = null;
      });
      return await renewal;
    },
  };

  async function renew(make: (stored: Secrets) => Promise<Secrets>): Promise<Secrets> {
    renewals += 1;
    secrets = await make(secrets);
    return secrets;
  }
}
