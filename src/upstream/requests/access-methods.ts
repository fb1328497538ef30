import { EarshotError } from "../../lib/errors.ts";
import { type FetchedResponse, fetchedResponse } from "../../lib/fetched-response.ts";
import type { GuardedClient } from "../../lib/guarded-fetch.ts";
import type { AuthorizedRequest } from "../../platforms/credential.ts";
import { credentialRefused } from "../../platforms/credential-errors.ts";
import { upstreamRefused } from "../../platforms/request-errors.ts";
import { redactedReason, withoutSecrets } from "../../platforms/without-secrets.ts";
import type { CredentialPool, PooledCredential } from "../credentials/pool.ts";
import { redactError } from "./redact-error.ts";
import { type UsedSecrets, usedSecrets } from "./used-secrets.ts";

export type Access = {
  findOwner(url: URL): string;
  send(request: AuthorizedRequest): Promise<FetchedResponse>;
  startCooldown(bucket: string, untilMs: number): void;
};

/** The client must not follow redirects itself. */
export type AccessContext = {
  fetch: GuardedClient;
  timeoutMs: number;
  maxResponseBytes: number;
};

const maxRedirects = 3;

/** Follows redirects within the same origin. */
export function createPublicAccess({ fetch, timeoutMs, maxResponseBytes }: AccessContext): Access {
  async function send({ url, headers, signal }: AuthorizedRequest): Promise<FetchedResponse> {
    const options = { headers, signal, timeoutMs, maxBytes: maxResponseBytes };
    let currentUrl = url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(currentUrl, options);
      const target = findRedirect(currentUrl, response);
      if (target === null) return response;
      if (target.origin !== url.origin) throw upstreamRefused(url.host, redirectText(target));
      if (redirects === maxRedirects) {
        throw upstreamRefused(url.host, `redirected more than ${maxRedirects} times`);
      }
      currentUrl = target;
    }
  }

  return { findOwner: (url) => `public ${url.origin}`, send, startCooldown: () => {} };
}

/** Quarantines a refused credential. Follows no redirects. */
export function credentialAccess(
  { fetch, timeoutMs, maxResponseBytes }: AccessContext,
  pooledCredential: PooledCredential,
  pool: CredentialPool,
): Access {
  const { kind, tools } = pooledCredential;
  const { id } = pooledCredential.credential;

  async function send(request: AuthorizedRequest): Promise<FetchedResponse> {
    // Ignores the request's signal: a renewal serves all requests that wait for it.
    const bounds = { timeoutMs, maxBytes: maxResponseBytes };
    const boundedFetch: typeof tools.fetch = (url, options) =>
      fetch(url, { ...bounds, ...options });
    pool.recordUse(id);
    const requestSecrets = usedSecrets(pooledCredential);
    const pendingResponse = kind.send(request, requestSecrets.inUse, {
      ...tools,
      fetch: boundedFetch,
    });
    const response = await unlessAborted(request.signal, pendingResponse).catch((thrown: unknown) =>
      refuse(thrown, requestSecrets),
    );
    if (response.status === 401)
      return await refuse(unauthorized(request.url.host), requestSecrets);
    const target = findRedirect(request.url, response);
    if (target !== null) throw upstreamRefused(request.url.host, redirectText(target));
    // A refusal's body is reported, and may echo secrets.
    if (response.status < 400) return response;
    return fetchedResponse(
      request.url,
      response,
      Buffer.from(withoutSecrets(response.text(), requestSecrets.secrets())),
    );
  }

  async function refuse(thrown: unknown, requestSecrets: UsedSecrets): Promise<never> {
    if (thrown instanceof EarshotError && thrown.code === "credential_refused") {
      const reason = redactedReason(thrown.message, requestSecrets.secrets());
      await pool.quarantine(id, requestSecrets.revision(), reason);
    }
    throw redactError(thrown, requestSecrets.secrets());
  }

  return {
    findOwner: () => id,
    send,
    startCooldown: (bucket, untilMs) =>
      pool.startCooldown(id, bucket, untilMs, "the platform's rate limit"),
  };
}

function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

function findRedirect(url: URL, { status, headers }: FetchedResponse): URL | null {
  if (status < 300 || status > 399) return null;
  const location = headers.get("location");
  const target = location === null ? null : URL.parse(location, url.href);
  if (target === null) throw upstreamRefused(url.host, `returned ${status}`);
  return target;
}

/** Only the host: the rest of an address may contain anything. */
const redirectText = ({ host, protocol }: URL): string =>
  `redirected to ${host === "" ? protocol : host}, which is not allowed`;

function unauthorized(host: string): EarshotError {
  return credentialRefused(
    `${host} refused the credential (401)`,
    "find the cause with earshot credentials test, or add the credential again",
  );
}
