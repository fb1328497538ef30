import type { Headers } from "undici";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import { credentialRefused } from "../credential-errors.ts";
import type { Session, UpstreamRequest, UpstreamResponse } from "../session.ts";
import { isOutOfScope, requiresUserToken } from "./server-response.ts";

export type ServerAccess = {
  instance: string;
  isAnonymous: boolean;
  get(request: UpstreamRequest): Promise<InstanceResponse>;
};

export type InstanceResponse = Pick<UpstreamResponse, "status" | "json"> & {
  headers: HeaderFields;
};

type HeaderFields = Pick<Headers, "get" | "has">;

export function getServerAccess(session: Session): ServerAccess {
  return {
    instance: new URL(session.baseUrl).host,
    isAnonymous: session.access === "public",
    get: (request) => getResponse(session.access === "public", () => session.get(request)),
  };
}

export function serverAccessAt(session: Session, host: string): ServerAccess {
  const ownServer = getServerAccess(session);
  if (host === ownServer.instance) return ownServer;
  const origin = hostOrigin(host);
  return {
    instance: origin.host,
    isAnonymous: true,
    get: ({ path, ...request }) =>
      getResponse(true, () => session.getPublic(new URL(path, origin), request)),
  };
}

function hostOrigin(host: string): URL {
  const address = `https://${host}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && url.pathname === "/" && url.username === "" && url.search === "") return url;
  throw new EarshotError("upstream_refused", "the query names no server", {
    status: 502,
    hint: "write the account as @user@host, or use the URL of the post",
  });
}

/** Returns a 401 instead of throwing if no credential was sent. */
async function getResponse(
  isAnonymous: boolean,
  request: () => Promise<InstanceResponse>,
): Promise<InstanceResponse> {
  try {
    return await request();
  } catch (thrown) {
    const isRefused = thrown instanceof EarshotError && thrown.code === "credential_refused";
    if (!isAnonymous || !isRefused) throw thrown;
    return { status: 401, json: null, headers: noHeaders };
  }
}

const noHeaders: HeaderFields = { get: () => null, has: () => false };

/**
 * Null if the resource does not exist or is not visible. Errors: `credential_refused` with the
 * missing scope; `upstream_refused`.
 */
export async function sendToServer(
  access: ServerAccess,
  request: UpstreamRequest,
  scope: string,
): Promise<{ json: unknown; headers: HeaderFields; status: number } | null> {
  const response = await access.get(request);
  if (response.status >= 200 && response.status < 300) return response;
  if (response.status === 404 || response.status === 410) return null;
  throw refusalError(access, response, scope);
}

function refusalError(
  { instance, isAnonymous }: ServerAccess,
  response: InstanceResponse,
  scope: string,
): EarshotError {
  const { status, json } = response;
  if (status === 401 || (status === 403 && isAnonymous) || requiresUserToken(json)) {
    return userTokenRequired(instance, isAnonymous);
  }
  if (status === 403) return forbidden(instance, scope, isOutOfScope(json));
  const reason =
    status === 418
      ? "it refuses anonymous programs, or this one"
      : "it does not support this request";
  return new EarshotError("upstream_refused", `${instance} returned ${status}: ${reason}`, {
    status: 502,
    hint: "use another server: this one may not run Mastodon, or runs an old version",
  });
}

function userTokenRequired(instance: string, isAnonymous: boolean): EarshotError {
  const addition = isAnonymous ? "" : "; an application token is not sufficient";
  return new EarshotError(
    "upstream_refused",
    `${stripControls(instance)} requires a user token for this${addition}`,
    { status: 502, hint: `add a user token for ${stripControls(instance)}` },
  );
}

function forbidden(instance: string, scope: string, isScopeMissing: boolean): EarshotError {
  const message = isScopeMissing
    ? `the credential for ${instance} lacks the scope ${scope}`
    : `${instance} does not allow this with the credential (403)`;
  return credentialRefused(
    message,
    isScopeMissing
      ? `add a token with the scope ${scope} or read`
      : "check the account on its server",
  );
}
