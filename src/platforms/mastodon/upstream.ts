import type { Upstream } from "../upstream.ts";
import { createInstanceInfos } from "./instance-info.ts";
import { mastodonLimit } from "./limit.ts";
import { namedServer } from "./named-server.ts";
import { mastodonPages } from "./pages.ts";
import { createMastodonSearch } from "./search.ts";
import { mastodonSupport } from "./support.ts";

/** Uses the credential's server, the target's, or `instance`. */
export function createMastodonUpstream({ instance }: { instance: string | null }): Upstream {
  return {
    platform: "mastodon",
    support: mastodonSupport,
    page: async (call, session) => await mastodonPages[call.method]({ call, session }),
    search: createMastodonSearch(createInstanceInfos()),
    publicBaseUrl: instance === null ? null : new URL(instance).origin,
    publicOrigin: (target) => {
      const host = namedServer(target);
      return host === null ? null : `https://${host}`;
    },
    readLimit: mastodonLimit,
    computePrice: null,
    displayScope: () => "everything",
  };
}
