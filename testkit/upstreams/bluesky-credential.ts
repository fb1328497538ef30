import { fetch as undiciFetch } from "undici";
import { EarshotError } from "../../src/lib/errors.ts";
import { fetchedResponse } from "../../src/lib/fetched-response.ts";
import type { CredentialTools, NewCredential } from "../../src/platforms/credential.ts";
import { type StoredCredential, storedCredential } from "./stored-credential.ts";

/** Tools that can reach only 127.0.0.1. */
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
      return fetchedResponse(url, response, Buffer.from(await response.arrayBuffer()));
    },
  };
}

export function asStored(credential: NewCredential): StoredCredential {
  const { secrets, host, subject, subjectName, hint } = credential;
  const fields = { accountId: "account", kind: "test", host, subject, subjectName, hint };
  return storedCredential(secrets, { platform: "bluesky", ...fields });
}
