import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { argv } from "node:process";
import { DatabaseSync } from "node:sqlite";

/**
 * An HTTP server that inserts the submissions of one tick in one fsynced commit, returns 202, then returns a fixed
 * page.
 */
const [, , folder = ".", port = "0"] = argv;
let page: Buffer = Buffer.from("[]");

const database = new DatabaseSync(join(folder, "floor.db"));
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec("CREATE TABLE job(uuid TEXT PRIMARY KEY, request TEXT NOT NULL) STRICT");
const insert = database.prepare("INSERT INTO job VALUES(?, ?)");

type Submission = { uuid: string; body: string; response: ServerResponse };
let pendingSubmissions: Submission[] = [];

function commit(): void {
  const jobs = pendingSubmissions;
  pendingSubmissions = [];
  database.exec("BEGIN IMMEDIATE");
  for (const { uuid, body } of jobs) insert.run(uuid, body);
  database.exec("COMMIT");
  for (const { uuid, response } of jobs) send(response, 202, Buffer.from(`{"uuid":"${uuid}"}`));
}

function send(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.length,
  });
  response.end(body);
}

createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  if (request.method === "GET") return send(response, 200, page);
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (request.method === "PUT") {
      page = body;
      return send(response, 200, Buffer.from("{}"));
    }
    pendingSubmissions.push({ uuid: randomUUID(), body: body.toString(), response });
    if (pendingSubmissions.length === 1) setImmediate(commit);
  });
}).listen({ port: Number(port), host: "127.0.0.1" });
