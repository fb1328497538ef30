import { postgresError } from "../../db/postgres/errors.ts";
import { openPool, type Pool } from "../../db/postgres/pool.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { Config } from "../../server/config.ts";
import { type DoctorFinding, ok } from "./finding.ts";

const subject = "database";

export async function checkDatabase(
  { database, data }: Config,
  url: string,
): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  if (data.secretKey === null) findings.push(noSecretKey);
  const { timeoutMs } = database;
  const pool = openPool({ url, timeoutMs, gateway: "doctor", connections: 1 });
  try {
    findings.push(...(await serverFindings(pool, database.connections)));
  } catch (thrown) {
    const error = postgresError(thrown);
    const hint = error instanceof EarshotError ? error.hint : undefined;
    const fix = hint ?? "check EARSHOT_DATABASE_URL and the privileges of its user";
    findings.push({ level: "error", subject, message: errorMessage(error), fix });
  } finally {
    await pool.end({ timeout: 1 });
  }
  return findings;
}

/** Each gateway has one more connection for notifications and one for leader election. */
const extraConnections = 2;

async function serverFindings(pool: Pool, connections: number): Promise<DoctorFinding[]> {
  const [server] = await pool.unsafe<
    { version: string; limit: number; used: number; own: number }[]
  >(
    `SELECT current_setting('server_version') AS version, current_setting('max_connections')::BIGINT AS "limit",
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'earshot') - 1 AS own`,
  );
  if (server === undefined) throw new Error("the server returned no row");
  const { version, limit, used, own } = server;
  const usage = ok(subject, `PostgreSQL ${version}, ${used} of ${limit} connections in use`);
  const neededConnections = connections + extraConnections;
  // A running gateway's connections count as available.
  const availableConnections = limit - used + own;
  if (availableConnections >= neededConnections) return [usage];
  return [
    usage,
    {
      level: "warning",
      subject,
      message: `only ${availableConnections} connections are available, and each gateway uses up to ${neededConnections}`,
      fix: "raise max_connections, or lower EARSHOT_DATABASE_CONNECTIONS",
    },
  ];
}

const noSecretKey: DoctorFinding = {
  level: "error",
  subject: "secret key",
  message: "EARSHOT_DATABASE_URL requires EARSHOT_SECRET_KEY",
  fix: "set the same key for all gateways: openssl rand -base64 32 generates one",
};
