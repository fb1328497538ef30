import type { Upstream } from "../upstream.ts";
import { limitOf } from "./limit.ts";
import { pages } from "./pages.ts";
import type { AppView } from "./request.ts";
import { blueskySearch } from "./search-posts.ts";
import { blueskySupport } from "./support.ts";

export type BlueskySettings = {
  appviewUrl: string;
  /** Accounts whose labels are told and obeyed; those that the AppView goes by itself when there are none. */
  labelers: readonly string[];
  /** Whether what everyone may see is asked for without a credential. */
  isPublic: boolean;
  isSearched: boolean;
  /** The at:// uri of the feed that `getforyoutweets` reads. */
  feed: string;
};

/** Bluesky: its AppView, with a credential through the account's own server. */
export function createBlueskyUpstream(settings: BlueskySettings): Upstream {
  const { appviewUrl, isPublic, isSearched, feed, labelers } = settings;
  const appView: AppView = { url: appviewUrl, labelers };
  return {
    platform: "bluesky",
    support: blueskySupport,
    page: async (call, session) => await pages[call.method]({ call, session, appView, feed }),
    search: isSearched ? blueskySearch(appView) : null,
    publicBaseUrl: isPublic ? new URL(appviewUrl).origin : null,
    limitOf,
    priceOf: null,
    mayShow: () => "everything",
  };
}
