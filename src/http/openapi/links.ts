type Values = Readonly<Record<string, string>>;

type Link = { from: string; status: string; to: string; parameters: Values };

const uuidOfBody = { uuid: "$response.body#/uuid" };
const uuidOfPath = { uuid: "$request.path.uuid" };
const firstOfPage = { uuid: "$response.body#/jobs/0/uuid" };
const samePlatform = { platform: "$request.path.platform" };
const idOfBody = { id: "$response.body#/id" };
const idOfPath = { id: "$request.path.id" };

/** Which operations use which values of an answer. */
export const links: readonly Link[] = [
  ...linked("submitSearch", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...uuidOfBody,
  }),
  ...linked(
    "submitSearchByType",
    "202",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform", "cancelJobWithoutPlatform"],
    uuidOfBody,
  ),
  ...linked("search", "202", ["readStatus", "fetchResult", "cancelJob"], {
    ...samePlatform,
    ...uuidOfBody,
  }),
  ...linked("readStatus", "200", ["fetchResult"], { ...samePlatform, ...uuidOfPath }),
  ...linked("readStatusWithoutPlatform", "200", ["fetchResultWithoutPlatform"], uuidOfPath),
  ...linked("fetchResult", "200", ["fetchProof"], { ...samePlatform, ...uuidOfPath }),
  ...linked("fetchResultWithoutPlatform", "200", ["fetchProofWithoutPlatform"], uuidOfPath),
  ...linked("listJobs", "200", ["readStatus", "fetchResult"], { ...samePlatform, ...firstOfPage }),
  ...linked(
    "listJobsWithoutPlatform",
    "200",
    ["readStatusWithoutPlatform", "fetchResultWithoutPlatform"],
    firstOfPage,
  ),
  ...linked(
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
  ...linked("testWebhook", "202", ["listDeliveries"], idOfPath),
  ...linked("testWebhook", "202", ["replayDelivery"], {
    ...idOfPath,
    delivery: "$response.body#/id",
  }),
];

function linked(from: string, status: string, targets: readonly string[], parameters: Values) {
  return targets.map((to): Link => ({ from, status, to, parameters }));
}
