import { blueskyCredentialKinds } from "../../platforms/bluesky/credential-kinds.ts";
import type { CredentialKind } from "../../platforms/credential.ts";
import { mastodonCredentialKinds } from "../../platforms/mastodon/credential-kinds.ts";
import { xCredentialKinds } from "../../platforms/x/credential-kinds.ts";
import type { Config } from "../config.ts";
import type { UpstreamClient } from "./upstream-client.ts";

export function credentialKinds(
  { backfill, ingest, upstreams }: Config,
  { resolveTxt }: Pick<UpstreamClient, "resolveTxt">,
): readonly CredentialKind[] {
  const { plcUrl } = backfill;
  return [
    ...blueskyCredentialKinds({ plcUrl, appviewUrl: ingest.appviewUrl, resolveTxt }),
    ...mastodonCredentialKinds(),
    ...xCredentialKinds({
      apiUrl: upstreams.xApiUrl,
      isRedistributionAgreed: upstreams.xRedistributionAgreed === "true",
    }),
  ];
}
