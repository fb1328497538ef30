import type { Archive } from "../../archive/archive.ts";
import { isSearch, type Method, methodNames } from "../../platforms/methods.ts";
import type { AccessMethod } from "../../platforms/source.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { Capability } from "../../remote/capability.ts";
import { isAnsweredByArchive } from "../../search/methods/archived-answer.ts";
import type { Config } from "../config.ts";
import type { UpstreamRole } from "../roles/upstreams.ts";
import { streamedPlatforms } from "../streamed-platforms.ts";

/** Excludes the credentials of accounts, which serve only their own account. */
export async function listCapabilities(
  config: Config,
  { deploymentMethods }: Pick<UpstreamRole, "deploymentMethods">,
  archive: Pick<Archive, "coverage">,
): Promise<readonly Capability[]> {
  const storedPlatforms = await archivedPlatforms(config, archive);
  const perPlatform = platforms.map(async (platform) => {
    const upstreamMethods = await deploymentMethods(platform);
    return methodNames.map((method): Capability => {
      const isArchived = storedPlatforms.includes(platform) && canArchiveAnswer(method);
      const ways: readonly AccessMethod[] = isArchived ? ["archive"] : [];
      return { platform, method, ways: [...ways, ...(upstreamMethods.get(method) ?? [])] };
    });
  });
  return (await Promise.all(perPlatform)).flat().filter(({ ways }) => ways.length > 0);
}

async function archivedPlatforms(
  config: Config,
  archive: Pick<Archive, "coverage">,
): Promise<readonly Platform[]> {
  const platformsWithPosts = (await archive.coverage())
    .filter(({ hasPosts }) => hasPosts)
    .map(({ platform }) => platform);
  return [...streamedPlatforms(config), ...platformsWithPosts];
}

const canArchiveAnswer = (method: Method): boolean =>
  isSearch(method) || isAnsweredByArchive(method);

export class OwnCapabilities {
  readonly #read: () => Promise<readonly Capability[]>;
  #all: readonly Capability[] = [];
  #releasable: readonly Capability[] = [];

  constructor(read: () => Promise<readonly Capability[]>) {
    this.#read = read;
  }

  all = (): readonly Capability[] => this.#all;

  /** Capabilities through credentials that can be released to nodes. */
  releasable = (): readonly Capability[] => this.#releasable;

  /** Errors: those of the archive and the store; the previous capabilities then remain. */
  async refresh(): Promise<void> {
    this.#all = await this.#read();
    this.#releasable = this.#all.map(releasablePart).filter(({ ways }) => ways.length > 0);
  }
}

const releasablePart = ({ ways, ...capability }: Capability): Capability => ({
  ...capability,
  ways: ways.filter((method) => method === "credential" || method === "api"),
});
