import type { Upstream } from "../upstream.ts";
import { blueskyLimit } from "./limit.ts";
import { blueskyPages } from "./pages.ts";
import type { AppView } from "./request.ts";
import { blueskySearch } from "./search-posts.ts";
import { blueskySupport } from "./support.ts";

export type BlueskySettings = {
  appviewUrl: string;
  /** If empty, the AppView's defaults apply. */
  labelers: readonly string[];
  usesPublicApi: boolean;
  isSearchEnabled: boolean;
  /** The feed that `getforyoutweets` reads. */
  feed: string;
};

/** With a credential, requests go through the account's PDS. */
export function createBlueskyUpstream(settings: BlueskySettings): Upstream {
  const {
    appviewUrl,
    usesPublicApi: isPublic,
    isSearchEnabled: isSearched,
    feed,
    labelers,
  } = settings;
  const appView: AppView = { url: appviewUrl, labelers };
  return {
    platform: "bluesky",
    support: blueskySupport,
    page: async (call, session) =>
      await blueskyPages[call.method]({ call, session, appView, feed }),
    search: isSearched ? blueskySearch(appView) : null,
    publicBaseUrl: isPublic ? new URL(appviewUrl).origin : null,
    readLimit: blueskyLimit,
    computePrice: null,
    displayScope: () => "everything",
  };
}
