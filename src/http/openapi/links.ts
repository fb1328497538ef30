type Values = Readonly<Record<string, string>>;

type Link = { from: string; status: string; to: string; parameters: Values };

const bodyUuid = { uuid: "$response.body#/uuid" };
const pathUuid = { uuid: "$request.path.uuid" };
const firstJobUuid = { uuid: "$response.body#/jobs/0/uuid" };
const samePlatform = { platform: "$request.path.platform" };
const bodyId = { id: "$response.body#/id" };
const pathId = { id: "$request.path.id" };

export const links: readonly Link[] = [
  ...linksFrom("submitSearch", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...bodyUuid,
  }),
  ...linksFrom(
    "submitSearchByType",
    "202",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform", "cancelJobWithoutPlatform"],
    bodyUuid,
  ),
  ...linksFrom("search", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...bodyUuid,
  }),
  ...linksFrom("readStatus", "200", ["fetchResult"], { ...samePlatform, ...pathUuid }),
  ...linksFrom("readStatusWithoutPlatform", "200", ["fetchResultWithoutPlatform"], pathUuid),
  ...linksFrom("fetchResult", "200", ["fetchProof"], { ...samePlatform, ...pathUuid }),
  ...linksFrom("fetchResultWithoutPlatform", "200", ["fetchProofWithoutPlatform"], pathUuid),
  ...linksFrom("listJobs", "200", ["readStatus", "fetchResult"], {
    ...samePlatform,
    ...firstJobUuid,
  }),
  ...linksFrom(
    "listJobsWithoutPlatform",
    "200",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform"],
    firstJobUuid,
  ),
  ...linksFrom(
    "createWebhook",
    "201",
    [
      "readWebhook",
      "testWebhook",
      "listDeliveries",
      "enableWebhook",
      "replaceWebhookSecret",
      "deleteWebhook",
    ],
    bodyId,
  ),
  ...linksFrom("testWebhook", "202", ["listDeliveries"], pathId),
  ...linksFrom("testWebhook", "202", ["replayDelivery"], {
    ...pathId,
    delivery: "$response.body#/id",
  }),
];

function linksFrom(from: string, status: string, targets: readonly string[], parameters: Values) {
  return targets.map((to): Link => ({ from, status, to, parameters }));
}
