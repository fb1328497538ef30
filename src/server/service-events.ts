import type { FailedAttempt } from "../jobs/leases/leases.ts";
import type { EndedJob } from "../jobs/queue.ts";
import type { EvidenceKind } from "../jobs/result-signature.ts";
import type { SkipReason } from "../jobs/submissions/answered-submissions.ts";
import type { DeliveryOutcome } from "../jobs/webhooks/sender.ts";
import type { Events } from "../lib/events.ts";
import type { Method } from "../platforms/methods.ts";
import type { Platform } from "../posts/post.ts";
import type { ReleasedCredential } from "../upstream/credentials/release.ts";
import type { RequestOutcome } from "../upstream/requests/outgoing-request.ts";

export type ServiceEvents = Events<{
  storeWritten: { seconds: number };
  upstreamRequested: { platform: Platform; outcome: RequestOutcome };
  accountDeleted: { accountId: string };
  jobEnded: EndedJob;
  shortSearchAnswered: { method: Method; ms: number };
  shortSearchSkipped: { reason: SkipReason };
  attemptFailed: FailedAttempt;
  deliveriesEnded: { outcome: DeliveryOutcome; deliveries: number };
  jobDispatched: { evidence: EvidenceKind };
  nodeAnswerRefused: { code: string };
  nodeRegistered: { outcome: "admitted" | "pending" | "refused" };
  credentialReleased: ReleasedCredential;
}>;
