type Values = Readonly<Record<string, string>>;

type Link = { from: string; status: string; to: string; parameters: Values };

const uuidOfBody = { uuid: "$response.body#/uuid" };
const uuidOfPath = { uuid: "$request.path.uuid" };
const firstOfPage = { uuid: "$response.body#/jobs/0/uuid" };
const samePlatform = { platform: "$request.path.platform" };
const idOfBody = { id: "$response.body#/id" };
const idOfPath = { id: "$request.path.id" };

export const links: readonly Link[] = [
  ...linksTo("submitSearch", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...uuidOfBody,
  }),
  ...linksTo(
    "submitSearchByType",
    "202",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform", "cancelJobWithoutPlatform"],
    uuidOfBody,
  ),
  ...linksTo("search", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...uuidOfBody,
  }),
  ...linksTo("readStatus", "200", ["fetchResult"], { ...samePlatform, ...uuidOfPath }),
  ...linksTo("readStatusWithoutPlatform", "200", ["fetchResultWithoutPlatform"], uuidOfPath),
  ...linksTo("fetchResult", "200", ["fetchProof"], { ...samePlatform, ...uuidOfPath }),
  ...linksTo("fetchResultWithoutPlatform", "200", ["fetchProofWithoutPlatform"], uuidOfPath),
  ...linksTo("listJobs", "200", ["readStatus", "fetchResult"], { ...samePlatform, ...firstOfPage }),
  ...linksTo(
    "listJobsWithoutPlatform",
    "200",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform"],
    firstOfPage,
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
    idOfBody,
  ),
  ...linksTo("testWebhook", "202", ["listDeliveries"], idOfPath),
  ...linksTo("testWebhook", "202", ["replayDelivery"], {
    ...idOfPath,
    delivery: "$response.body#/id",
  }),
];

function linksTo(from: string, status: string, targets: readonly string[], parameters: Values) {
  return targets.map((to): Link => ({ from, status, to, parameters }));
}
