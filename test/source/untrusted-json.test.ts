import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ownText = "text that Earshot wrote itself, in a store that only it writes";
const operatorInput = "a file or argument of the operator, read once";
const records =
  "one record of a result: written by Earshot, or measured when a node or an upstream returned it";
const measured = "measured by json-shape.ts before it is parsed";
const short = "at most 16 KB, which cannot hold enough names to matter";
const commandLine = "runs in a command, where no event loop serves requests";
const encrypted = "encrypted by Earshot: changed text cannot be decrypted";

/** Why these calls of JSON.parse cannot block the event loop; all others use parseUntrustedJson. */
const reasons: Readonly<Record<string, string>> = {
  "accounts/admin/audit-operations.ts": ownText,
  "accounts/admin/export-rows.ts": ownText,
  "accounts/keys/key.ts": ownText,
  "accounts/grants/consent.ts": encrypted,
  "accounts/sign-in/attempt.ts": encrypted,
  "archive/bulk/packed-posts.ts": ownText,
  "archive/catalog/accounts.ts": ownText,
  "archive/maintenance/manifest.ts": operatorInput,
  "cli/demo/curl.ts": commandLine,
  "cli/search/search-and-print.ts": commandLine,
  "cli/search/print-answer.ts": commandLine,
  "cli/nodes/show-verdict.ts": commandLine,
  "http/answers/page.ts": records,
  "http/submission/requested-target.ts": records,
  "http/routes/dashboard/pages.ts": ownText,
  "http/docs-site/html/write-site.ts": ownText,
  "http/docs-site/served-pages.ts": ownText,
  "http/submission/json-body.ts": measured,
  "http/openapi/openapi.ts": ownText,
  "http/answers/webhook-body.ts": ownText,
  "ingest/backfill/author-progress.ts": ownText,
  "ingest/backfill/remove-deleted-posts.ts": records,
  "ingest/backfill/read-history.ts": short,
  "ingest/import/progress.ts": ownText,
  "ingest/jetstream/position.ts": ownText,
  "ingest/import/lines.ts": measured,
  "ingest/jetstream/labeler-position.ts": ownText,
  "ingest/mastodon/catch-up.ts": ownText,
  "ingest/mastodon/recheck.ts": ownText,
  "jobs/cursor.ts": encrypted,
  "jobs/stored.ts": ownText,
  "jobs/webhooks/enqueue.ts": ownText,
  "jobs/webhooks/rows.ts": ownText,
  "lib/bounded-json.ts": measured,
  "lib/json-members.ts": "one name of a text that was parsed before",
  "remote/evidence/collateral.ts": operatorInput,
  "remote/evidence/policy.ts": operatorInput,
  "remote/evidence/simulated/simulated-folder.ts": operatorInput,
  "remote/gateway/node-record.ts": ownText,
  "remote/gateway/node-store.ts": ownText,
  "remote/proof/proof-checks.ts": commandLine,
  "remote/proof/read-proof.ts": commandLine,
  "remote/protocol/read-record.ts": measured,
  "search/merge/answer-records.ts": records,
  "server/sharing.ts": ownText,
  "search/methods/archived-posts.ts": records,
  "search/archive/unchecked-posts.ts": records,
  "platforms/bluesky/oauth-key.ts": ownText,
  "platforms/bluesky/search-merge.ts": encrypted,
  "platforms/bluesky/stored-tokens.ts": short,
  "upstream/credentials/encrypt-secrets.ts": encrypted,
  "upstream/requests/read-json.ts": measured,
  "platforms/x/search.ts": encrypted,
  "posts/record.ts": records,
  "server/version.ts": ownText,
};

test("every call of JSON.parse is listed with the reason why it is safe", () => {
  const source = new URL("../../src/", import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/test(-support)?\.ts$/.test(file))
    .filter((file) => /JSON\.parse\(/.test(readFileSync(new URL(file, source), "utf8")));
  expect(files.sort()).toEqual(Object.keys(reasons).sort());
});
