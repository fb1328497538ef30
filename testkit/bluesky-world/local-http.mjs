import http from "node:http";

export const freePort = () =>
  new Promise((resolve) => {
    const server = http.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

export const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address().port));
  });

/** Null for a status other than 2xx. */
export const jsonOf = async (url) => {
  const response = await fetch(url);
  return response.ok ? await response.json() : null;
};

/** Sends 404 if `body` is null. */
export function sendJson(response, body) {
  response.writeHead(body === null ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? { error: "NotFound", message: "not found" }));
}
