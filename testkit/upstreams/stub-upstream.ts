import { type Method, methodNames } from "../../src/platforms/methods.ts";
import type {
  MethodSupport,
  PageCall,
  Upstream,
  UpstreamItem,
} from "../../src/platforms/upstream.ts";
import type { Platform } from "../../src/posts/post.ts";
import type { Profile } from "../../src/posts/profile.ts";

export type StubAnswers = Partial<Record<Method, readonly UpstreamItem[] | Error>>;

export type StubUpstream = Upstream & {
  calls: PageCall[];
  answers: StubAnswers;
};

/** Methods with answers return `pageSize` items per page. */
export function stubUpstream(
  platform: Platform,
  answers: StubAnswers,
  { pageSize = 2, displayScope = "everything" as ReturnType<Upstream["displayScope"]> } = {},
): StubUpstream {
  const calls: PageCall[] = [];
  const stub: StubUpstream = {
    platform,
    calls,
    answers,
    support: supportFor(answers),
    page: async (call) => {
      calls.push(call);
      const items = stub.answers[call.method] ?? [];
      if (items instanceof Error) throw items;
      const from = Number(call.cursor ?? 0);
      const next = from + pageSize;
      return {
        items: items.slice(from, next),
        next: next < items.length ? String(next) : null,
      };
    },
    search: null,
    publicBaseUrl: `https://${platform}.example`,
    readLimit: () => null,
    computePrice: null,
    displayScope: () => displayScope,
  };
  return stub;
}

function supportFor(answers: StubAnswers): Record<Method, MethodSupport> {
  const rows = methodNames.map((method): [Method, MethodSupport] => [
    method,
    method in answers
      ? { access: ["public"], endpoint: `stub.${method}`, note: "" }
      : { access: [], closest: "Closest is gettweets" },
  ]);
  return Object.fromEntries(rows) as Record<Method, MethodSupport>;
}

export function makeProfile(overrides: Partial<Profile> = {}): Profile {
  return {
    platform: "bluesky",
    userId: "did:plc:author",
    username: "author.example.com",
    name: "An author",
    description: "writes",
    url: null,
    avatarUrl: null,
    bannerUrl: null,
    location: null,
    createdAt: "2024-01-01T00:00:00Z",
    verified: null,
    isProtected: null,
    isBot: null,
    labels: [],
    counts: { followers: 3, following: 2, posts: 1, listed: null },
    ...overrides,
  };
}
