import postgres, { type Sql, type TransactionSql } from "postgres";

export type PostgresOptions = {
  /**
   * `postgres://user:password@host:port/database`; further hosts follow after commas;
   * `?host=/folder` selects a socket.
   */
  url: string;
  /** Names this process in notifications. */
  gateway: string;
  connections: number;
  /** Statement timeout. */
  timeoutMs: number;
  /** If true, commits may be acknowledged before they are on disk. */
  isUnsynced?: boolean;
};

type Types = { int8: number; bool: number; text: string };

export type Pool = Sql<Types>;
export type Transaction = TransactionSql<Types>;

const connectTimeoutSeconds = 5;

/** Reconnects after failures. Rows have the same JavaScript types as from SQLite. */
export function openPool({
  url,
  gateway,
  connections,
  timeoutMs,
  isUnsynced = false,
}: PostgresOptions): Pool {
  const { address, socket } = urlAddress(url);
  return postgres(address, {
    ...(socket === null ? {} : { path: socket }),
    max: connections,
    connect_timeout: connectTimeoutSeconds,
    keep_alive: 10,
    backoff: (retries: number) => Math.min(2 ** retries / 50, 2),
    fetch_types: false,
    target_session_attrs: "primary",
    onnotice: () => undefined,
    connection: {
      application_name: "earshot",
      statement_timeout: timeoutMs,
      lock_timeout: timeoutMs,
      idle_in_transaction_session_timeout: 2 * timeoutMs,
      "earshot.gateway": gateway,
      ...(isUnsynced ? { synchronous_commit: "off" } : {}),
    },
    types: {
      int8: { to: 20, from: [20, 1700], serialize: wholeNumber, parse: Number },
      // PostgreSQL's text cannot contain NUL.
      text: {
        to: 25,
        from: [25],
        serialize: (value: string) => String(value).replaceAll("\0", "\u{fffd}"),
        parse: String,
      },
      bool: {
        to: 16,
        from: [16],
        serialize: (value: number) => (Number(value) === 0 ? "f" : "t"),
        parse: (text: string): number => (text === "t" ? 1 : 0),
      },
    },
  });
}

/** Times may have fractions of a millisecond. */
const wholeNumber = (value: number): string =>
  typeof value === "number" ? String(Math.round(value)) : String(value);

/**
 * Removes `host`, which the driver would treat as a session setting. `URL` cannot parse several
 * hosts with ports.
 */
function urlAddress(url: string): { address: string; socket: string | null } {
  const [base = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  const folder = parameters.get("host");
  parameters.delete("host");
  const port = /:(\d+)(?:\/[^/]*)?$/.exec(base)?.[1] ?? "5432";
  return {
    address: parameters.size === 0 ? base : `${base}?${parameters}`,
    socket: folder === null ? null : `${folder}/.s.PGSQL.${port}`,
  };
}
