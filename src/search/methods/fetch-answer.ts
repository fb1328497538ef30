import { EarshotError } from "../../lib/errors.ts";
import type { SourceAnswer, SourceWarning } from "../../platforms/source.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { OpenSession, UpstreamJob } from "../../upstream/requests/sessions.ts";
import { type AnswerContext, accessFor, isOwn } from "../context.ts";
import { codeOfError } from "../error-code.ts";
import { fetchCoverage } from "../merge/completeness.ts";
import { distinctWarnings } from "../merge/distinct-warnings.ts";
import { billedParts, partBy } from "../platform/billed-parts.ts";
import { archivedAnswer } from "./archived-answer.ts";
import { isDerived } from "./derived-answer.ts";
import type { FetchRequest } from "./fetch-request.ts";
import { readMethod } from "./read-method.ts";

/**
 * Answers from the archive if complete, else from the platform, else from the archive. Errors:
 * `source_unavailable` when nothing can be requested; those of the platform when neither has
 * anything.
 */
export async function fetchAnswer(
  context: AnswerContext,
  request: FetchRequest,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { position = null, method, after } = request;
  const readArchive = async (): Promise<SourceAnswer | null> =>
    position === null ? await archivedAnswer(context, request, job) : null;
  const isLast = isDerived(method) && after === null;
  const first = isLast ? null : await readArchive();
  if (first !== null && (first.complete || after !== null)) return first;
  const sessions = await sessionsFor(context, request, job);
  if (sessions.length === 0) {
    const archived = first ?? (await readArchive());
    if (archived !== null) return archived;
    throw unavailable(request);
  }
  try {
    return await readPlatform(context, request, sessions, job);
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    const archived = first ?? (await readArchive());
    if (archived === null || archived.items.length === 0) throw error;
    const span = { platform: request.platform, fromMs: null, toMs: request.asOfMs };
    return {
      ...archived,
      complete: false,
      sources: [...archived.sources, ...billedParts(sessions, span)],
      warnings: [...archived.warnings, instead(error)],
    };
  }
}

async function sessionsFor(
  { sessions, upstreams }: AnswerContext,
  { platform, method, type, target = null, position = null }: FetchRequest,
  job: UpstreamJob,
): Promise<readonly OpenSession[]> {
  const access = accessFor(type, method, upstreams[platform]);
  if (access.length === 0) return [];
  const query = {
    job,
    platform,
    whose: isOwn(method, upstreams[platform]) ? ("own" as const) : ("any" as const),
    bucket: null,
    credentialId: position?.credentialId ?? null,
  };
  const opened = await sessions.open({ ...query, access, host: null });
  const origin = upstreams[platform].publicOriginOf?.(target) ?? null;
  const isOpen = !access.includes("public") || opened.some((one) => one.access === "public");
  if (isOpen || origin === null) return opened;
  return [...opened, ...(await sessions.open({ ...query, access: ["public"], host: origin }))];
}

async function readPlatform(
  context: AnswerContext,
  request: FetchRequest,
  sessions: readonly OpenSession[],
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { platform, asOfMs } = request;
  const upstream = context.upstreams[platform];
  const opened = new Set(sessions);
  const openOthers = async (): Promise<readonly OpenSession[]> => {
    if (request.position == null) return sessions;
    const others = await sessionsFor(context, { ...request, position: null }, job);
    for (const other of others) opened.add(other);
    return others;
  };
  const read = await readMethod(context, request, sessions, openOthers);
  const { readings, position, failures, requested, missing } = read;
  for (const { attempt } of readings) opened.delete(attempt.session);
  const span = { platform, fromMs: null, toMs: asOfMs };
  const coverage = fetchCoverage(requested, missing);
  return {
    items: readings.flatMap(({ items }) => items),
    next: null,
    nextPosition: position,
    complete: coverage.complete,
    coverage,
    sources: [
      ...readings.map(({ attempt, items }) => partBy(attempt.session, span, items.length)),
      ...billedParts([...opened], span),
    ],
    warnings: distinctWarnings([
      ...readings.flatMap((one) => one.read.warnings),
      ...read.warnings,
      ...(missing.length === 0 ? [] : failures.map((error) => insteadOf(platform, error))),
      ...readings.flatMap(({ attempt, items }) =>
        items.length === 0 ? [] : onlyIds(upstream, attempt.session),
      ),
    ]),
  };
}

const insteadOf = (platform: string, error: EarshotError): SourceWarning => ({
  code: codeOfError(error),
  message: `the best access method of ${platform} failed: ${error.message}`,
  ...(error.hint === undefined ? {} : { hint: error.hint }),
});

export function onlyIds(upstream: Upstream, session: OpenSession): SourceWarning[] {
  if (upstream.mayShow(session.owner) === "everything") return [];
  return [
    {
      code: "ids_only",
      message: `${upstream.platform} allows showing IDs only: texts and names are omitted`,
      hint: "connect your own account to read the posts",
    },
  ];
}

const instead = (error: EarshotError): SourceWarning => ({
  code: codeOfError(error),
  message: `only the archive answered: ${error.message}`,
});

function unavailable({ method, platform }: FetchRequest): EarshotError {
  return new EarshotError(
    "source_unavailable",
    `no usable credential supports ${method} on ${platform}`,
    { status: 502, hint: "find the cause with earshot credentials list" },
  );
}
