import { asFields } from "../fields.ts";
import type { Session } from "../session.ts";
import {
  onlyRoute,
  type SearchCall,
  type UpstreamPage,
  type UpstreamSearch,
  type UpstreamWarning,
} from "../upstream.ts";
import { readFeed } from "./feed-page.ts";
import { type InstanceInfo, type InstanceInfoCache, unknownInstance } from "./instance-info.ts";
import { isIndexable } from "./post.ts";
import {
  firstFeedPositions,
  mergeFeeds,
  readFeedPositions,
  writeFeedPositions,
} from "./search-cursor.ts";
import { feedsFor } from "./search-feeds.ts";
import { lowerTree } from "./search-lowering.ts";
import { getServerAccess, type ServerAccess } from "./server-access.ts";
import { statusesPage } from "./view-page.ts";

/**
 * Finds only posts that have reached the server and whose authors allow search, so it is never
 * exhaustive. Drops others, such as the user's private ones.
 */
export function createMastodonSearch(infos: InstanceInfoCache): UpstreamSearch {
  return {
    routes: () => onlyRoute,
    isExhaustive: false,
    page: async (call, session) => await searchPage(call, session, infos),
  };
}

async function searchPage(
  call: SearchCall,
  session: Session,
  infos: InstanceInfoCache,
): Promise<UpstreamPage | null> {
  const alternatives = lowerTree(call.tree, call.names);
  if (alternatives.length === 0) return null;
  const access = getServerAccess(session);
  const isUser = session.access === "user";
  const isSearchable =
    isUser || alternatives.some((atoms) => atoms.some(({ kind }) => kind === "tag"));
  const info = isSearchable ? await infos.get(access, session.nowMs) : unknownInstance;
  const { feeds, uncoveredCount } = feedsFor(alternatives, { info, isUser, call });
  const positions =
    call.cursor === null ? firstFeedPositions(feeds) : readFeedPositions(call.cursor, feeds);
  const pages = await settleAll(
    feeds.map(async (feed, index) => {
      const position = positions[index] ?? null;
      return position === null ? null : await readFeed(feed, position, { access, info, call });
    }),
  );
  const { statuses, next } = mergeFeeds(pages);
  const isFirst = call.cursor === null;
  const warnings = isFirst
    ? searchWarnings(access, { info, isUser, uncoveredCount, feedCount: feeds.length })
    : [];
  const isIndexableMissing = isFirst && statuses.length > 0 && statuses.every(lacksIndexable);
  return statusesPage(statuses, { instance: access.instance, nowMs: session.nowMs }, isIndexable, {
    next: writeFeedPositions(next),
    warnings: isIndexableMissing ? [...warnings, noIndexableWarning(access)] : warnings,
  });
}

/** Waits for all requests before it throws. */
async function settleAll<Result>(requests: readonly Promise<Result>[]): Promise<Result[]> {
  const outcomes = await Promise.allSettled(requests);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

const lacksIndexable = (status: unknown): boolean =>
  asFields(asFields(status).account).indexable === undefined;

const noIndexableWarning = ({ instance }: ServerAccess): UpstreamWarning => ({
  code: "no_indexable",
  message: `${instance} does not report whether authors allow search, so their posts are omitted`,
});

type SearchSummary = {
  info: InstanceInfo;
  isUser: boolean;
  uncoveredCount: number;
  feedCount: number;
};

function searchWarnings({ instance }: ServerAccess, summary: SearchSummary): UpstreamWarning[] {
  const warnings: UpstreamWarning[] = [];
  if (summary.feedCount > 0) {
    warnings.push({
      code: "partial_search",
      message: `${instance} finds only posts that have reached it and whose authors allow search`,
    });
  }
  if (summary.uncoveredCount > 0) warnings.push(notSearchedWarning(instance, summary));
  return warnings;
}

function notSearchedWarning(
  instance: string,
  { isUser, feedCount, info }: SearchSummary,
): UpstreamWarning {
  const subject = feedCount > 0 ? "part of the query" : "this query";
  if (isUser) {
    return {
      code: "not_searched",
      message: `${instance} cannot search for ${subject}: it has no words, hashtags or accounts that its search supports`,
      hint: "add a word or a hashtag",
    };
  }
  const tags =
    info.hashtagFeeds === "public"
      ? "without a user token it finds only hashtags"
      : "hashtags and search require a user token";
  return {
    code: "not_searched",
    message: `${instance} did not search for ${subject}: ${tags}`,
    hint: `add a user token for ${instance} with the read scope`,
  };
}
