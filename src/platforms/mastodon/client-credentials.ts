import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import type { CredentialTools, HeldCredential, Secrets } from "../credentials/credential.ts";
import { credentialInvalid } from "../credentials/faults.ts";
import { failedAt } from "../requests/faults.ts";
import { fieldsIn, refusedToken } from "./server-answer.ts";

const answerMs = 30_000;
const scope = "read";

/** The token, or the answer that holds none. */
export async function grant(
  host: string,
  { clientId, clientSecret }: Secrets,
  tools: CredentialTools,
): Promise<string | FetchedAnswer> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId ?? "",
    client_secret: clientSecret ?? "",
    scope,
  });
  const answer = await tools.fetch(new URL("/oauth/token", host), {
    method: "POST",
    body: form.toString(),
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    },
    signal: AbortSignal.timeout(answerMs),
  });
  const { access_token: token } = fieldsIn(answer);
  const isToken = typeof token === "string" && /^[\x21-\x7e]{1,2000}$/.test(token);
  return answer.status === 200 && isToken ? token : answer;
}

/** Why an application that was given has no token. */
export function notGranted(host: string, answer: FetchedAnswer): EarshotError {
  const server = new URL(host).host;
  const { error } = fieldsIn(answer);
  if (error === "invalid_scope") {
    return credentialInvalid(
      `client_id: the application lacks the scope ${scope}`,
      "make one that has it",
    );
  }
  if (answer.status === 401 || error === "invalid_client") {
    return credentialInvalid(
      `client_secret: ${server} does not take it with this client_id`,
      "copy both anew from the application's page",
    );
  }
  return credentialInvalid(
    `host: ${server} gives no token (status ${answer.status})`,
    "look at the host",
  );
}

/** What is secret of an application, with another token. */
export async function renewed(
  seen: Secrets,
  held: HeldCredential,
  tools: CredentialTools,
): Promise<Secrets> {
  const { host } = held.credential;
  return await held.renew(seen, async (secrets) => {
    const granted = await grant(host, secrets, tools);
    if (typeof granted === "string") return { ...secrets, token: granted };
    if (granted.status >= 500 || granted.status === 429)
      throw failedAt(new URL(host).host, granted.status);
    throw refusedToken(host, granted.status);
  });
}
