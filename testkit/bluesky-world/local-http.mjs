import http from "node:http";

/** A port of this machine that was free a moment ago. */
export const freePort = () =>
  new Promise((resolve) => {
    const server = http.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a server on a free port, which it resolves with. */
export const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address().port));
  });

/** The JSON of an answer; null for one that is not 2xx. */
export const jsonOf = async (url) => {
  const answer = await fetch(url);
  return answer.ok ? await answer.json() : null;
};

/** Answers with this JSON, or 404 for null. */
export function answerJson(response, body) {
  response.writeHead(body === null ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? { error: "NotFound", message: "not here" }));
}
