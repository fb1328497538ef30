import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type { CredentialInUse, CredentialKind, CredentialTools } from "../credential.ts";
import { credentialInvalid, credentialRefused } from "../credential-errors.ts";
import { asFields } from "../fields.ts";
import { secretHint } from "../hint.ts";
import { throwIfServerFailed } from "../request-errors.ts";
import { isToken, parsedJson, refusalText, sendAuthorized } from "./tokens.ts";
import { withUsageCapLimit } from "./usage-cap.ts";

/** This request is not billed. */
const checkPath = "/2/usage/tweets?usage.fields=project_id,project_cap,project_usage";

export function xAppTokenKind(apiUrl: string): CredentialKind {
  const checkUrl = new URL(checkPath, apiUrl);
  return {
    platform: "x",
    name: "app-token",
    access: "app",
    title: "X bearer token",
    purpose: "Searches X and shows you whole posts. X bills reads to the application's owner.",
    description:
      "An application's bearer token: console.x.com, Keys and tokens. Checking it is free.",
    fields: [
      {
        name: "token",
        label: "Bearer token",
        hint: "At console.x.com: your application, Keys and tokens. Checking it costs nothing.",
        description: "the bearer token",
        isSecret: true,
        isOptional: false,
      },
    ],
    make: async ({ token = "" }, tools) => {
      if (!isToken(token)) throw invalidTokenError("the token is empty or malformed");
      const response = await sendAuthorized(token, { url: checkUrl }, tools);
      throwIfServerFailed(checkUrl.host, response);
      if (response.status !== 200) throw invalidTokenError(refusalText(response, checkUrl));
      return {
        host: checkUrl.origin,
        subject: null,
        subjectName: null,
        hint: secretHint(token),
        secrets: { token },
      };
    },
    test: async (stored, tools) => {
      const response = await sendAuthorized(makeToken(stored), { url: checkUrl }, tools);
      throwIfServerFailed(checkUrl.host, response);
      if (response.status !== 200) throw refusedError(refusalText(response, checkUrl));
      return readUsage(parsedJson(response));
    },
    send: async (request, stored, tools) => await sendApp(request, stored, tools),
  };
}

async function sendApp(
  request: Parameters<CredentialKind["send"]>[0],
  stored: CredentialInUse,
  tools: CredentialTools,
): Promise<FetchedResponse> {
  const response = await sendAuthorized(makeToken(stored), request, tools);
  if (response.status === 401) {
    throw refusedError(`${request.url.host} refused the application's token`);
  }
  return await withUsageCapLimit(response, tools.now());
}

const makeToken = (stored: CredentialInUse): string => stored.secrets().token ?? "";

function readUsage(json: unknown): string {
  const { project_usage: used, project_cap: max } = asFields(asFields(json).data);
  const isReported = [used, max].every((reported) => /^\d{1,15}$/.test(String(reported)));
  return isReported
    ? `the token works: ${used} of ${max} posts read this month`
    : "the token works: X reports no usage";
}

const invalidTokenError = (problem: string): EarshotError =>
  credentialInvalid(
    `token: ${problem}`,
    "copy the bearer token from the application's keys and tokens at console.x.com",
  );

const refusedError = (problem: string): EarshotError =>
  credentialRefused(problem, "create another bearer token at console.x.com and add it");
