import { expect, test } from "vitest";
import type { PlatformCoverage } from "../../archive/archive.ts";
import { configFrom } from "../config.ts";
import type { UpstreamRole } from "../roles/upstreams.ts";
import { listCapabilities } from "./capabilities.ts";

const xCoverage: PlatformCoverage[] = [{ platform: "x", hasPosts: true, intervals: [] }];
const deploymentMethods: UpstreamRole["deploymentMethods"] = async (platform) =>
  new Map(
    platform === "x"
      ? ([
          ["searchbyquery", ["api"]],
          ["getfollowers", ["credential"]],
        ] as const)
      : [],
  );

const capabilitiesFor = async (environment: Record<string, string>) => {
  const archive = { coverage: async () => xCoverage };
  const capabilities = await listCapabilities(
    configFrom(environment),
    { deploymentMethods },
    archive,
  );
  return capabilities.map(
    ({ platform, method, ways }) => `${platform} ${method}: ${ways.join(", ")}`,
  );
};

test("a process lists the methods of its archive and those that the deployment can request", async () => {
  const capabilities = await capabilitiesFor({ EARSHOT_INGEST: "off" });
  expect(capabilities).toEqual([
    "x searchbyquery: archive, api",
    "x searchbyfullarchive: archive",
    "x searchbyprofile: archive",
    "x getbyid: archive",
    "x getreplies: archive",
    "x getretweeters: archive",
    "x gettweets: archive",
    "x getmedia: archive",
    "x getprofilebyid: archive",
    "x gettrends: archive",
    "x getfollowers: credential",
  ]);
});

test("a platform that feeds the archive counts as archived before its first post", async () => {
  expect(await capabilitiesFor({ EARSHOT_INGEST: "bluesky" })).toContain(
    "bluesky searchbyquery: archive",
  );
});
