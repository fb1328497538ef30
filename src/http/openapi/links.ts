type Values = Readonly<Record<string, string>>;

type Link = { from: string; status: string; to: string; parameters: Values };

const bodyUuid = { uuid: "$response.body#/uuid" };
const pathUuid = { uuid: "$request.path.uuid" };
const firstOnPage = { uuid: "$response.body#/jobs/0/uuid" };
const samePlatform = { platform: "$request.path.platform" };
const bodyId = { id: "$response.body#/id" };
const pathId = { id: "$request.path.id" };

export const links: readonly Link[] = [
  ...linksTo("submitSearch", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...bodyUuid,
  }),
  ...linksTo(
    "submitSearchByType",
    "202",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform", "cancelJobWithoutPlatform"],
    bodyUuid,
  ),
  ...linksTo("search", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...bodyUuid,
  }),
  ...linksTo("readStatus", "200", ["fetchResult"], { ...samePlatform, ...pathUuid }),
  ...linksTo("readStatusWithoutPlatform", "200", ["fetchResultWithoutPlatform"], pathUuid),
  ...linksTo("fetchResult", "200", ["fetchProof"], { ...samePlatform, ...pathUuid }),
  ...linksTo("fetchResultWithoutPlatform", "200", ["fetchProofWithoutPlatform"], pathUuid),
  ...linksTo("listJobs", "200", ["readStatus", "fetchResult"], { ...samePlatform, ...firstOnPage }),
  ...linksTo(
    "listJobsWithoutPlatform",
    "200",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform"],
    firstOnPage,
  ),
  ...linksTo(
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
  ...linksTo("testWebhook", "202", ["listDeliveries"], pathId),
  ...linksTo("testWebhook", "202", ["replayDelivery"], {
    ...pathId,
    delivery: "$response.body#/id",
  }),
];

function linksTo(from: string, status: string, targets: readonly string[], parameters: Values) {
  return targets.map((to): Link => ({ from, status, to, parameters }));
}
