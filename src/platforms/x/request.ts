import { EarshotError } from "../../lib/errors.ts";
import { credentialRefused } from "../credential-errors.ts";
import { asFields, list } from "../fields.ts";
import { possiblyBilled } from "../request-errors.ts";
import type { Bill, Session, UpstreamRequest, UpstreamResponse } from "../session.ts";
import type { UpstreamWarning } from "../upstream.ts";
import { pageToken } from "../upstream-page.ts";
import { withoutTokens } from "../without-secrets.ts";
import { type Includes, noIncludes, readIncludes } from "./includes.ts";

export type XRequest = {
  path: string;
  query?: NonNullable<UpstreamRequest["query"]>;
  /** Each endpoint has its own rate limit. */
  bucket: string;
  bill: Bill;
  /** How each item in `data` is billed; `requests` means a flat price. */
  billedAs: "posts" | "users" | "requests";
  scopes: readonly string[];
};

export type XResponse = {
  /** Null if X shows nothing. */
  data: unknown;
  includes: Includes;
  next: string | null;
  warnings: readonly UpstreamWarning[];
  receivedMs: number;
  /** The subject does not exist or is not visible. */
  isAbsent: boolean;
};

const absentResponse: Omit<XResponse, "receivedMs"> = {
  data: null,
  includes: noIncludes,
  next: null,
  warnings: [],
  isAbsent: true,
};

/**
 * Settles the bill. Errors: `credential_refused`, naming what it lacks; `upstream_limited` without
 * credit; `upstream_refused` with X's message.
 */
export async function requestX(session: Session, request: XRequest): Promise<XResponse> {
  const { path, query = {}, bucket, bill } = request;
  const response = await session.get({ path, query, bucket, bill });
  if (response.status >= 200 && response.status < 300) {
    const body = readResponse(response, session);
    response.settle(makeBill(body, request.billedAs));
    return body;
  }
  response.settle({});
  throwUnlessAbsent(response.status, response.json, session, request);
  return { ...absentResponse, receivedMs: response.receivedMs ?? session.nowMs };
}

/**
 * An unreadable response may have been billed, so it counts in full and is not repeated. Errors:
 * `answer_unreadable`.
 */
function readResponse(response: UpstreamResponse, session: Session): XResponse {
  const { json, receivedMs = session.nowMs } = response;
  const { data = null, includes, meta, errors } = asFields(json);
  const { next_token: next, result_count: count } = asFields(meta);
  const reasons = list(errors, maxErrors).map(readProblem);
  const isAbsent = isEmpty(data) && reasons.some((reason) => absentProblems.has(reason ?? ""));
  if (data === null && count !== 0 && !isAbsent) {
    throw possiblyBilled(emptyResponse(sessionHost(session), json));
  }
  return {
    data,
    receivedMs,
    includes: readIncludes(includes),
    ...pageToken(next, "X"),
    isAbsent,
  };
}

function emptyResponse(host: string, json: unknown): EarshotError {
  const detail = list(asFields(json).errors, 1).length > 0 ? `: ${problemDetail(json)}` : "";
  return new EarshotError("answer_unreadable", `${host} returned no data${detail}`, {
    status: 502,
  });
}

const maxErrors = 100;

/** The subject is not visible or, if there is data, a referenced resource is not. */
const absentProblems = new Set(["resource-not-found", "not-authorized-for-resource"]);

const isEmpty = (data: unknown): boolean =>
  data === null || (Array.isArray(data) && data.length === 0);

/** X also bills included resources. */
function makeBill({ data, includes }: XResponse, counted: XRequest["billedAs"]): Bill {
  if (counted === "requests") return { requests: 1 };
  const items = Array.isArray(data) ? data.length : data === null ? 0 : 1;
  return {
    postReads: includes.posts.size + (counted === "posts" ? items : 0),
    userReads: includes.users.size + (counted === "users" ? items : 0),
  };
}

function throwUnlessAbsent(
  status: number,
  json: unknown,
  session: Session,
  request: XRequest,
): void {
  const problemType = readProblem(json);
  if (status === 404) return;
  if (status === 403 && problemType === "not-authorized-for-resource") return;
  if (status === 403) throw forbidden(problemType, json, session, request);
  if (status === 402) throw noCredit(session);
  throw new EarshotError(
    "upstream_refused",
    `${sessionHost(session)} refused ${request.bucket} (${status}): ${problemDetail(json)}`,
    { status: 502 },
  );
}

function readProblem(json: unknown): string | null {
  const { type } = asFields(json);
  return typeof type === "string" ? (/\/problems\/([a-z-]{1,60})$/.exec(type)?.[1] ?? null) : null;
}

function forbidden(
  problemType: string | null,
  json: unknown,
  session: Session,
  { bucket, scopes }: XRequest,
): EarshotError {
  const host = sessionHost(session);
  if (problemType === "unsupported-authentication") {
    const otherKind = session.access === "app" ? "user-token" : "app-token";
    return credentialRefused(
      `${host} does not support ${bucket} with this kind of credential`,
      `add a credential of the kind ${otherKind}`,
    );
  }
  if (
    problemType === "client-forbidden" ||
    problemType === "client-not-enrolled" ||
    session.access === "app"
  ) {
    return credentialRefused(
      `${host} does not allow ${bucket} with this application: ${problemDetail(json)}`,
      "check at console.x.com that the application's project has access to the API",
    );
  }
  return credentialRefused(
    `${host} does not allow ${bucket} with this credential; it requires the scopes ${scopes.join(", ")}: ${problemDetail(json)}`,
    "authorize it again with these scopes",
  );
}

function noCredit(session: Session): EarshotError {
  return new EarshotError(
    "upstream_limited",
    `${sessionHost(session)} refused the request: the application has no credit left`,
    {
      status: 502,
      hint: "buy credit or raise the spending limit at console.x.com",
    },
  );
}

const sessionHost = (session: Session): string => new URL(session.baseUrl).host;

export function problemDetail(json: unknown): string {
  const fields = asFields(json);
  const [first] = list(fields.errors, 1);
  const reasons = [asFields(first).message, fields.detail, fields.title].map(withoutTokens);
  return reasons.find((text) => text !== "") ?? "no reason given";
}
