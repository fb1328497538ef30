import { read, relaxed } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";

/** Contains no query, address or body: `route` is a path template. */
export type KeyRequest = {
  keyId: string;
  requestId: string;
  atMs: number;
  method: string;
  route: string;
  status: number;
  code: string | null;
  durationMs: number;
};

export type LoggedRequest = Omit<KeyRequest, "keyId">;

export const maxLoggedRequests = 100;

const maxDeletedRows = 2_000;

export const requestLogOperations = {
  /** Adds requests in the given order. Ignores connected apps and deleted keys. */
  addKeyRequests: relaxed(function* (
    database,
    { requests }: { requests: readonly KeyRequest[] },
  ): Steps<null> {
    yield* database.run(
      `INSERT INTO key_request(account_id, key_id, at_ms, request_id, method, route, status, code, duration_ms)
       SELECT api_key.account_id, api_key.id, CAST(value ->> '$.atMs' AS INTEGER), value ->> '$.requestId',
         value ->> '$.method', value ->> '$.route', CAST(value ->> '$.status' AS INTEGER), value ->> '$.code',
         CAST(value ->> '$.durationMs' AS INTEGER)
       FROM json_each(:requests) JOIN api_key ON api_key.id = value ->> '$.keyId'
       WHERE TRUE ORDER BY CAST(value ->> '$.order' AS INTEGER) ON CONFLICT DO NOTHING`,
      { requests: JSON.stringify(requests.map((request, order) => ({ ...request, order }))) },
    );
    yield* database.run(
      `DELETE FROM key_request WHERE (account_id, key_id, at_ms, request_id) IN (
         SELECT account_id, key_id, at_ms, request_id FROM (
           SELECT account_id, key_id, at_ms, request_id,
             row_number() OVER (PARTITION BY key_id ORDER BY at_ms DESC, sequence DESC) AS number
           FROM key_request WHERE (account_id, key_id) IN (
             SELECT account_id, id FROM api_key WHERE id IN (SELECT value FROM json_each(:keyIds)))
         ) AS numbered WHERE number > ${maxLoggedRequests})`,
      { keyIds: JSON.stringify([...new Set(requests.map(({ keyId }) => keyId))]) },
    );
    return null;
  }),

  keyRequests: read(function* (
    database,
    key: { accountId: string; keyId: string },
  ): Steps<LoggedRequest[]> {
    return yield* database.all<LoggedRequest>(
      `SELECT at_ms AS atMs, request_id AS requestId, method, route, status, code, duration_ms AS durationMs
       FROM key_request WHERE account_id = :accountId AND key_id = :keyId
       ORDER BY at_ms DESC, sequence DESC LIMIT ${maxLoggedRequests}`,
      key,
    );
  }),

  dropKeyRequests: relaxed(function* (
    database,
    { beforeMs }: { beforeMs: number },
  ): Steps<boolean> {
    return (
      (yield* database.run(
        `DELETE FROM key_request WHERE (account_id, key_id, at_ms, request_id) IN (
           SELECT account_id, key_id, at_ms, request_id FROM key_request WHERE at_ms < :beforeMs LIMIT ${maxDeletedRows})`,
        { beforeMs },
      )) === maxDeletedRows
    );
  }),
};
