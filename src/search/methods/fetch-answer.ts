import { EarshotError } from "../../lib/errors.ts";
import type { SourceAnswer, SourceWarning } from "../../platforms/source.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { OpenSession, UpstreamJob } from "../../upstream/requests/sessions.ts";
import { type AnswerContext, accessFor, isOwnMethod } from "../context.ts";
import { searchErrorCode } from "../error-code.ts";
import { fetchCoverage } from "../merge/completeness.ts";
import { distinctWarnings } from "../merge/distinct-warnings.ts";
import { billedParts, makeSourcePart } from "../platform/billed-parts.ts";
import { archivedAnswer } from "./archived-answer.ts";
import { isDerived } from "./derived-answer.ts";
import type { FetchRequest } from "./fetch-request.ts";
import { readMethod } from "./read-method.ts";

/**
 * The archive's answer if complete, otherwise the platform's, or the archive's if the platform
 * cannot be read. Answers derived from archived posts are never complete, so the platform comes
 * first for these. Errors: `source_unavailable` if no source can answer; the platform's error if it
 * fails and the archive has no items.
 */
export async function fetchAnswer(
  context: AnswerContext,
  request: FetchRequest,
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { position = null, method, after } = request;
  const readArchive = async (): Promise<SourceAnswer | null> =>
    position === null ? await archivedAnswer(context, request, job) : null;
  const isPlatformFirst = isDerived(method) && after === null;
  const answerFromArchive = isPlatformFirst ? null : await readArchive();
  if (answerFromArchive !== null && (answerFromArchive.complete || after !== null))
    return answerFromArchive;
  const sessions = await sessionsFor(context, request, job);
  if (sessions.length === 0) {
    const fallbackAnswer = answerFromArchive ?? (await readArchive());
    if (fallbackAnswer !== null) return fallbackAnswer;
    throw unavailable(request);
  }
  try {
    return await readPlatform(context, request, sessions, job);
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    const fallbackAnswer = answerFromArchive ?? (await readArchive());
    if (fallbackAnswer === null || fallbackAnswer.items.length === 0) throw error;
    const span = { platform: request.platform, fromMs: null, toMs: request.asOfMs };
    return {
      ...fallbackAnswer,
      complete: false,
      sources: [...fallbackAnswer.sources, ...billedParts(sessions, span)],
      warnings: [...fallbackAnswer.warnings, archiveOnlyWarning(request.platform, error)],
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
    ownership: isOwnMethod(method, upstreams[platform]) ? ("own" as const) : ("any" as const),
    bucket: null,
    credentialId: position?.credentialId ?? null,
  };
  const openedSessions = await sessions.open({ ...query, access, host: null });
  const origin = upstreams[platform].publicOrigin?.(target) ?? null;
  const lacksPublicSession =
    access.includes("public") && !openedSessions.some((session) => session.access === "public");
  if (!lacksPublicSession || origin === null) return openedSessions;
  return [
    ...openedSessions,
    ...(await sessions.open({ ...query, access: ["public"], host: origin })),
  ];
}

async function readPlatform(
  context: AnswerContext,
  request: FetchRequest,
  sessions: readonly OpenSession[],
  job: UpstreamJob,
): Promise<SourceAnswer> {
  const { platform, asOfMs } = request;
  const upstream = context.upstreams[platform];
  const unusedSessions = new Set(sessions);
  const openOthers = async (): Promise<readonly OpenSession[]> => {
    if (request.position == null) return sessions;
    const otherSessions = await sessionsFor(context, { ...request, position: null }, job);
    for (const session of otherSessions) unusedSessions.add(session);
    return otherSessions;
  };
  const { readings, position, failures, requestedSpan, gaps, warnings } = await readMethod(
    context,
    request,
    sessions,
    openOthers,
  );
  for (const { attempt } of readings) unusedSessions.delete(attempt.session);
  const span = { platform, fromMs: null, toMs: asOfMs };
  const coverage = fetchCoverage(requestedSpan, gaps);
  return {
    items: readings.flatMap(({ items }) => items),
    next: null,
    nextPosition: position,
    complete: coverage.complete,
    coverage,
    sources: [
      ...readings.map(({ attempt, items }) => makeSourcePart(attempt.session, span, items.length)),
      ...billedParts([...unusedSessions], span),
    ],
    warnings: distinctWarnings([
      ...readings.flatMap(({ pages }) => pages.warnings),
      ...warnings,
      ...(gaps.length === 0 ? [] : failures.map((error) => incompleteWarning(platform, error))),
      ...readings.flatMap(({ attempt, items }) =>
        items.length === 0 ? [] : idsOnlyWarnings(upstream, attempt.session),
      ),
    ]),
  };
}

const incompleteWarning = (platform: string, error: EarshotError): SourceWarning => ({
  code: searchErrorCode(error),
  message: `an access method of ${platform} failed, so this answer is incomplete: ${error.message}`,
  ...(error.hint === undefined ? {} : { hint: error.hint }),
});

export function idsOnlyWarnings(upstream: Upstream, session: OpenSession): SourceWarning[] {
  if (upstream.displayScope(session.owner) === "everything") return [];
  return [
    {
      code: "ids_only",
      message: `${upstream.platform} allows only IDs of these posts to be shown, so texts and names are omitted`,
      hint: "connect your own account to read the posts",
    },
  ];
}

const archiveOnlyWarning = (platform: string, error: EarshotError): SourceWarning => ({
  code: searchErrorCode(error),
  message: `${platform} could not be read, so this answer comes from the archive alone: ${error.message}`,
});

function unavailable({ method, platform }: FetchRequest): EarshotError {
  return new EarshotError(
    "source_unavailable",
    `no usable credential supports ${method} on ${platform}`,
    { status: 502, hint: "find the cause with earshot credentials list" },
  );
}
