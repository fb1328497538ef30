import { afterEach, expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { AnswerRequest, SourceCost } from "../../platforms/source.ts";
import type { Target } from "../../platforms/target.ts";
import type { Upstream } from "../../platforms/upstream.ts";
import type { OpenSession } from "../../upstream/requests/sessions.ts";
import {
  type AnsweringUnderTest,
  endMs,
  makeAnswerRequest,
  searchingUpstream,
  setUpAnswering,
  testSession,
} from "../answer.test-support.ts";
import { answerJob } from "../answer.ts";

let fixture: AnsweringUnderTest | null = null;
afterEach(() => {
  fixture?.archive.remove();
  fixture = null;
});

const post = makePost({ createdMs: endMs - 1_000, text: "comet" });

const makeCost = (postReads: number): SourceCost => ({
  postReads,
  userReads: 0,
  requests: 0,
  microUsd: postReads * 5_000,
  month: null,
});

const billedSession = (credentialId: string, postReads: number): OpenSession =>
  testSession("bluesky", { credentialId, cost: () => makeCost(postReads) });

const refusal = new EarshotError("credential_refused", "status 401", { status: 502 });

function refusingUpstream(credentialIds: readonly string[]): Upstream {
  const { search, ...upstream } = searchingUpstream("bluesky", [post]);
  if (search === null) throw new Error("the upstream cannot search");
  const orRefuse = ({ credentialId }: { credentialId: string | null }) => {
    if (credentialIds.includes(credentialId ?? "")) throw refusal;
  };
  return {
    ...upstream,
    page: async (_call, session) => {
      orRefuse(session);
      return { items: [{ kind: "post", post }], next: null };
    },
    search: {
      ...search,
      page: async (call, session) => {
        orRefuse(session);
        return await search.page(call, session);
      },
    },
  };
}

const target: Target = {
  kind: "user",
  platform: "bluesky",
  handle: null,
  id: "did:plc:author",
  host: null,
};
const requests: [string, Partial<AnswerRequest>][] = [
  ["a search", { platform: "bluesky", query: "comet", fromMs: endMs - 10_000 }],
  ["a timeline", { platform: "bluesky", method: "gettweets", target }],
];

test.each(requests)(
  "%s reports what a failed credential was billed before another one answered",
  async (_what, requested) => {
    fixture = setUpAnswering({
      upstreams: { bluesky: refusingUpstream(["failing", "free"]) },
      sessions: {
        bluesky: [
          billedSession("failing", 7),
          billedSession("free", 0),
          billedSession("working", 1),
          billedSession("idle", 0),
        ],
      },
    });
    const { sources } = await answerJob(fixture.context, makeAnswerRequest(requested), fixture.job);
    const paidSources = sources.filter(({ cost }) => cost !== undefined);
    expect(paidSources.map(({ count, cost }) => [count, cost?.postReads])).toEqual([
      [1, 1],
      [0, 7],
    ]);
  },
);

test.each(requests)(
  "%s reports what was billed without a result when only the archive answers",
  async (_what, requested) => {
    fixture = setUpAnswering({
      upstreams: { bluesky: refusingUpstream(["failing"]) },
      sessions: { bluesky: [billedSession("failing", 7)] },
    });
    fixture.archive.put(post);
    const { items, sources } = await answerJob(
      fixture.context,
      makeAnswerRequest(requested),
      fixture.job,
    );
    expect(items).toHaveLength(1);
    const paidSources = sources.filter(({ cost }) => cost !== undefined);
    expect(paidSources.map(({ count, cost }) => [count, cost?.postReads])).toEqual([[0, 7]]);
  },
);
