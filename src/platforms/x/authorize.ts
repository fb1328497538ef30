import { createHash } from "node:crypto";
import type { CredentialTools, Dialogue } from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { type Client, isToken, requestTokens, type UserTokens } from "./tokens.ts";

const scopes = ["tweet.read", "users.read", "follows.read", "space.read", "offline.access"];

/** Uses PKCE. Errors: `credential_invalid`; those of `requestTokens`. */
export async function authorizeUser(
  apiUrl: string,
  values: Readonly<Record<string, string>>,
  tools: CredentialTools,
  dialogue: Dialogue,
): Promise<{ client: Client; tokens: UserTokens }> {
  const { client_id: id = "", client_secret: secret = "", redirect_uri: redirectUri = "" } = values;
  if (!isToken(id)) throw credentialInvalid("client_id: empty or malformed");
  if (!URL.canParse(redirectUri)) throw credentialInvalid("redirect_uri: expected a URL");
  const verifier = randomText(tools, 32);
  const state = randomText(tools, 16);
  const url = new URL("/i/oauth2/authorize", getSite(apiUrl));
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: id,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  dialogue.show(
    `Open this URL, allow the application, and copy the URL that you are redirected to:\n\n${url}\n`,
  );
  const code = readCode(await dialogue.prompt("The URL that you were redirected to: "), state);
  const client: Client = { id, secret: secret || null };
  const tokens = await requestTokens(
    apiUrl,
    client,
    {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    },
    tools,
  );
  return { client, tokens };
}

/** Users authorize on the website, not on the API host. */
function getSite(apiUrl: string): string {
  return new URL(apiUrl).host === "api.x.com" ? "https://x.com" : apiUrl;
}

const randomText = (tools: CredentialTools, bytes: number): string =>
  Buffer.from(tools.randomBytes(bytes)).toString("base64url");

function readCode(pastedUrl: string, state: string): string {
  if (!URL.canParse(pastedUrl))
    throw credentialInvalid("the URL: expected the whole URL, beginning with http");
  const { searchParams } = new URL(pastedUrl);
  if (searchParams.has("error")) throw credentialInvalid("access was denied on X");
  if (searchParams.get("state") !== state) {
    throw credentialInvalid("the URL: it belongs to another attempt; open the URL shown last");
  }
  const code = searchParams.get("code");
  if (!isToken(code)) throw credentialInvalid("the URL: it has no code");
  return code;
}
