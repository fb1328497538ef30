import * as oauth from "oauth4webapi";
import type { CredentialTools, Dialogue, NewCredential } from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { hintOf } from "../hint.ts";
import { type FindSettings, findGivenAccount } from "./given-account.ts";
import {
  findServer,
  grantForCode,
  newAttempt,
  pushRequest,
  serverOfGrant,
} from "./oauth-grants.ts";
import { oauthErrorAt, oauthRefusal, throughGuard } from "./oauth-guard.ts";
import { type ProofKeys, redirectUri } from "./oauth-key.ts";
import { storedTokens } from "./stored-tokens.ts";

type Means = {
  tools: CredentialTools;
  dialogue: Dialogue;
  settings: FindSettings;
  keys: ProofKeys;
  isPlain: boolean;
};

const copyHint = "copy the whole address from the browser's address bar";

/** Errors: `credential_invalid`. */
export async function authorize(identifier: string, means: Means): Promise<NewCredential> {
  const { tools, dialogue, settings, keys, isPlain } = means;
  const { did, handle, pds } = await findGivenAccount(identifier, tools, settings);
  const options = throughGuard(tools, isPlain);
  try {
    const server = await findServer(new URL(pds.origin), options);
    const key = await keys.make();
    const requested = { server, options, proof: await keys.proofBy(key, tools) };
    const attempt = newAttempt(tools);
    const address = await pushRequest(requested, attempt, handle ?? did);
    dialogue.show(
      `Open this address, log in as ${handle ?? did}, and allow it:\n\n${address.href}\n\n` +
        `The browser is then sent to an address that begins with ${redirectUri} and shows no page. Copy that address.`,
    );
    const pasted = await dialogue.prompt("The address");
    if (!URL.canParse(pasted))
      throw credentialInvalid("the address: what was pasted is no address", copyHint);
    const given = await grantForCode(requested, attempt, new URL(pasted));
    if (given.subject !== did) throw credentialInvalid(`another account than ${did} allowed it`);
    const { accessToken, refreshToken, lifeMs } = given;
    if (refreshToken === null)
      throw credentialInvalid(`${pds.host} gives no token that renews the others`);
    const tokens = storedTokens({ accessToken, refreshToken }, lifeMs, tools.now());
    return {
      host: pds.origin,
      subject: did,
      subjectName: handle,
      hint: hintOf(refreshToken.replace(/^ref-/, "")),
      secrets: { key, ...serverOfGrant(server), ...tokens },
    };
  } catch (thrown) {
    const refusal = oauthRefusal(thrown);
    if (refusal !== null)
      throw credentialInvalid(`${pds.host} refuses: ${refusal}`, "try it once more");
    if (thrown instanceof oauth.OperationProcessingError && isOfAddress(thrown)) {
      throw credentialInvalid("the address: it is not the answer to this request", copyHint);
    }
    throw oauthErrorAt(pds.host, thrown, options, tools.now());
  }
}

/** The pasted address is wrong, not a server response. */
const isOfAddress = ({ cause }: oauth.OperationProcessingError): boolean =>
  typeof cause === "object" && cause !== null && "parameters" in cause;
