import { messageOf } from "../../lib/errors.ts";
import type { SourceAnswer } from "../../platforms/source.ts";
import { compareAnswers, outlineOf } from "./compare-answers.ts";
import type { NodeGatewayContext } from "./context.ts";
import type { NodeDiary } from "./node-diary.ts";
import type { OpenLease, OpenLeases } from "./open-leases.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { SpotJob, SpotLine } from "./spot-line.ts";

/** A share of the finished jobs is run by a second node too, and what it answers is compared with the answer that counted. */
export type SpotChecks = {
  /** Perhaps has the job checked, whatever its node says of it: not where it goes on with a credential of the node. */
  consider(lease: OpenLease, answer: SourceAnswer): void;
  /** What the second node answered; null when it gave no answer. */
  settle(check: SpotJob, secondNode: string, answer: SourceAnswer | null): void;
  /** What a run holds of them that leaves, or is sent away, waits for another node. */
  passOn(session: Session): void;
  /** What a run held of them that was started anew without a word has failed. */
  fail(session: Session): void;
  /** Settles the checks whose nodes were not heard of in time. */
  endLapsed(): void;
};

/** How long a check waits for a node that can run it. */
const waitsMs = 60_000;

export function createSpotChecks(
  context: Pick<
    NodeGatewayContext,
    "settings" | "store" | "clock" | "log" | "randomBytes" | "randomUuid" | "onSpotCheck"
  > & {
    sessions: Sessions;
    open: OpenLeases;
    checks: SpotLine;
    diary: NodeDiary;
    /** A check waits. */
    onCheck: (check: SpotJob) => void;
  },
): SpotChecks {
  const { settings, store, clock, checks, diary, open } = context;

  /** One of a hundred, each equally likely: of the 2^32 numbers the last 96 would favour some. */
  function isDrawn(): boolean {
    if (settings.spotCheckPercent === 0) return false;
    const drawn = Buffer.from(context.randomBytes(4)).readUInt32BE();
    return drawn < 4_294_967_200 && drawn % 100 < settings.spotCheckPercent;
  }

  function consider(lease: OpenLease, answer: SourceAnswer): void {
    const { work, job, session, leftMs, holdMs } = lease;
    const isPinned = (work.place?.credentialId ?? null) !== null;
    if (isPinned || !isDrawn()) return;
    wait({
      uuid: context.randomUuid(),
      firstUuid: job,
      firstNode: session.nodeId,
      work,
      answer: outlineOf(answer),
      leftMs,
      holdMs,
      endsMs: 0,
      overMs: 0,
    });
  }

  function wait(check: SpotJob): void {
    check.endsMs = clock.elapsed() + waitsMs;
    checks.add(check);
    context.onCheck(check);
  }

  function heldBy(session: Session): readonly SpotJob[] {
    return open
      .of(session)
      .filter(({ handingIn }) => handingIn === null)
      .flatMap(({ check }) => check ?? []);
  }

  function settle(check: SpotJob, secondNode: string, answer: SourceAnswer | null): void {
    const { outcome, differences } =
      answer === null
        ? ({ outcome: "failed", differences: {} } as const)
        : compareAnswers(check.answer, outlineOf(answer));
    const { firstNode, firstUuid: uuid } = check;
    context.onSpotCheck?.(outcome);
    if (outcome === "different") {
      diary.note(secondNode, "spot_check", `job ${uuid} of node ${firstNode}: different`);
    }
    const atMs = clock.now();
    store
      .write("noteSpotCheck", { atMs, uuid, firstNode, secondNode, outcome, differences })
      .catch((error: unknown) => {
        context.log.warn({ error: messageOf(error) }, "a spot check could not be written");
      });
  }

  function endLapsed(): void {
    const nowMs = clock.elapsed();
    checks.forgetOld(nowMs);
    for (const session of context.sessions.all()) {
      for (const lease of open.of(session)) {
        if (lease.check === null || lease.handingIn !== null || lease.check.endsMs > nowMs)
          continue;
        open.drop(lease);
        settle(lease.check, session.nodeId, null);
      }
    }
  }

  return {
    consider,
    settle,
    passOn: (session) => {
      for (const check of heldBy(session)) wait(check);
    },
    fail: (session) => {
      for (const check of heldBy(session)) settle(check, session.nodeId, null);
    },
    endLapsed,
  };
}
