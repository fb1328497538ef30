import * as oauth from "oauth4webapi";
import type { CredentialTools, Dialogue, NewCredential } from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { secretHint } from "../hint.ts";
import { type AccountLookupSettings, findCredentialAccount } from "./credential-account.ts";
import { findServer, grantForCode, grantServer, newAttempt, pushRequest } from "./oauth-grants.ts";
import { guardedOptions, oauthErrorAt, oauthRefusal } from "./oauth-guard.ts";
import { type ProofKeys, redirectUri } from "./oauth-key.ts";
import { storedTokens } from "./stored-tokens.ts";

type AuthorizeContext = {
  tools: CredentialTools;
  dialogue: Dialogue;
  settings: AccountLookupSettings;
  keys: ProofKeys;
  allowsPlainHttp: boolean;
};

const copyHint = "copy the whole URL from the browser's address bar";

/** Errors: `credential_invalid`; those of `oauthErrorAt`. */
export async function authorize(
  identifier: string,
  context: AuthorizeContext,
): Promise<NewCredential> {
  const { tools, dialogue, settings, keys, allowsPlainHttp } = context;
  const { did, handle, pds } = await findCredentialAccount(identifier, tools, settings);
  const options = guardedOptions(tools, allowsPlainHttp);
  try {
    const server = await findServer(new URL(pds.origin), options);
    const key = await keys.make();
    const request = { server, options, proof: await keys.dpopHandle(key, tools) };
    const attempt = newAttempt(tools);
    const authorizationUrl = await pushRequest(request, attempt, handle ?? did);
    dialogue.show(
      `Open this URL, log in as ${handle ?? did}, and allow access:\n\n${authorizationUrl.href}\n\n` +
        `The browser will then be redirected to a URL that begins with ${redirectUri} and shows no page. Copy that URL.`,
    );
    const pastedUrl = await dialogue.prompt("The URL");
    if (!URL.canParse(pastedUrl)) throw credentialInvalid("the URL: not a valid URL", copyHint);
    const grant = await grantForCode(request, attempt, new URL(pastedUrl));
    if (grant.subject !== did)
      throw credentialInvalid(`an account other than ${did} allowed access`);
    const { accessToken, refreshToken, lifetimeMs } = grant;
    if (refreshToken === null) throw credentialInvalid(`${pds.host} issued no refresh token`);
    const tokens = storedTokens({ accessToken, refreshToken }, lifetimeMs, tools.now());
    return {
      host: pds.origin,
      subject: did,
      subjectName: handle,
      hint: secretHint(refreshToken.replace(/^ref-/, "")),
      secrets: { key, ...grantServer(server), ...tokens },
    };
  } catch (thrown) {
    const refusal = oauthRefusal(thrown);
    if (refusal !== null) throw credentialInvalid(`${pds.host} refused: ${refusal}`, "try again");
    if (thrown instanceof oauth.OperationProcessingError && isPastedUrlError(thrown)) {
      throw credentialInvalid("the URL: it does not belong to this authorization", copyHint);
    }
    throw oauthErrorAt(pds.host, thrown, options, tools.now());
  }
}

/** True if the pasted URL is at fault, not the server. */
const isPastedUrlError = ({ cause }: oauth.OperationProcessingError): boolean =>
  typeof cause === "object" && cause !== null && "parameters" in cause;
