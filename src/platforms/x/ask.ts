import { EarshotError } from "../../lib/errors.ts";
import { withoutControls } from "../../text/controls.ts";
import { fieldsOf, list } from "../fields.ts";
import type { Bill, Session, UpstreamRequest } from "../session.ts";
import { type Includes, nothingIncluded, readIncludes } from "./includes.ts";
import { filled } from "./json.ts";

export type Asked = {
  path: string;
  query?: NonNullable<UpstreamRequest["query"]>;
  /** The endpoint as X documents it: its limit is its own. */
  bucket: string;
  /** What it may be billed for at most. */
  bill: Bill;
  /** What each item of `data` is billed as; a request by itself is billed as `requests`. */
  counted: "posts" | "users" | "requests";
  /** The scopes that a user's credential needs for it. */
  scopes: readonly string[];
};

export type Told = {
  /** What was asked for: an item, a list, or null where X shows nothing of it. */
  data: unknown;
  includes: Includes;
  /** Leads to the next page. */
  next: string | null;
};

const nothing: Told = { data: null, includes: nothingIncluded, next: null };

/**
 * Asks X, and settles the bill by what came: each item, and each account and post that came beside them. What does not exist or
 * may not be seen is null. Errors: `credential_refused` naming what the credential lacks, `upstream_limited` when the
 * application has no credit left, `upstream_refused` with what X says of it; those of the session.
 */
export async function ask(session: Session, asked: Asked): Promise<Told> {
  const { path, query = {}, bucket, bill } = asked;
  const answer = await session.get({ path, query, bucket, bill });
  if (answer.status >= 200 && answer.status < 300) {
    const told = toldBy(answer.json);
    answer.settle(billOf(told, asked.counted));
    return told;
  }
  answer.settle({});
  throwUnlessAbsent(answer.status, answer.json, session, asked);
  return nothing;
}

function toldBy(json: unknown): Told {
  const { data = null, includes, meta } = fieldsOf(json);
  const next = fieldsOf(meta).next_token;
  return {
    data,
    includes: readIncludes(includes),
    next: typeof next === "string" && /^[\w-]{1,1000}$/.test(next) ? next : null,
  };
}

/** X bills each resource in an answer, and does not say that those beside the asked ones are free: all are counted. */
function billOf({ data, includes }: Told, counted: Asked["counted"]): Bill {
  if (counted === "requests") return { requests: 1 };
  const items = Array.isArray(data) ? data.length : data === null ? 0 : 1;
  return {
    postReads: includes.posts.size + (counted === "posts" ? items : 0),
    userReads: includes.users.size + (counted === "users" ? items : 0),
  };
}

function throwUnlessAbsent(status: number, json: unknown, session: Session, asked: Asked): void {
  const kind = problemOf(json);
  if (status === 404) return;
  if (status === 403 && kind === "not-authorized-for-resource") return;
  if (status === 403) throw forbidden(kind, json, session, asked);
  if (status === 402) throw withoutCredit(session);
  throw new EarshotError(
    "upstream_refused",
    `${hostOf(session)} refuses ${asked.bucket} (${status}): ${detailOf(json)}`,
    { status: 502 },
  );
}

/** The last part of the address by which X names a kind of problem. */
function problemOf(json: unknown): string | null {
  const { type } = fieldsOf(json);
  return typeof type === "string" ? (/\/problems\/([a-z-]{1,60})$/.exec(type)?.[1] ?? null) : null;
}

function forbidden(
  kind: string | null,
  json: unknown,
  session: Session,
  { bucket, scopes }: Asked,
): EarshotError {
  const host = hostOf(session);
  if (kind === "unsupported-authentication") {
    const other = session.access === "app" ? "user-token" : "app-token";
    return new EarshotError(
      "credential_refused",
      `${host} does not answer ${bucket} to this kind of credential`,
      { status: 502, hint: `add a credential of the kind ${other}` },
    );
  }
  if (kind === "client-forbidden" || kind === "client-not-enrolled" || session.access === "app") {
    return new EarshotError(
      "credential_refused",
      `${host} does not let this application use ${bucket}: ${detailOf(json)}`,
      {
        status: 502,
        hint: "look in the developer console at console.x.com whether the application belongs to a project with access to the API",
      },
    );
  }
  return new EarshotError(
    "credential_refused",
    `${host} does not let this credential use ${bucket}, which needs the scopes ${scopes.join(", ")}: ${detailOf(json)}`,
    { status: 502, hint: "authorize it anew with these scopes" },
  );
}

function withoutCredit(session: Session): EarshotError {
  return new EarshotError(
    "upstream_limited",
    `${hostOf(session)} answers no more: the application has no credit left`,
    {
      status: 502,
      hint: "buy credit, or raise the spending limit, in the developer console at console.x.com",
    },
  );
}

const hostOf = (session: Session): string => new URL(session.baseUrl).host;

/** What X says of a request that it refuses: cleaned, and short. */
export function detailOf(json: unknown): string {
  const fields = fieldsOf(json);
  const [first] = list(fields.errors, 1);
  const said =
    filled(fieldsOf(first).message, 2_000) ??
    filled(fields.detail, 2_000) ??
    filled(fields.title, 2_000);
  if (said === null) return "it does not say why";
  const clean = withoutControls(said).replaceAll("\n", " ");
  return clean.length <= 200 ? clean : `${clean.slice(0, 200)}…`;
}
