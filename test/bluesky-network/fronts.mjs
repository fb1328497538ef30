import http from "node:http";
import net from "node:net";
import { jsonOf, listen, sendJson } from "../../testkit/bluesky-world/local-http.mjs";

/** Rewrites the keys in DID documents to their current form. */
export async function startPlcFront(plcPort) {
  const server = http.createServer(async (request, response) => {
    const did = /^\/(did:plc:[a-z2-7]+)$/.exec(request.url)?.[1];
    if (did === undefined) return forward(plcPort, request, response);
    const data = await jsonOf(`http://127.0.0.1:${plcPort}/${did}/data`).catch(() => null);
    sendJson(response, data === null ? null : documentOf(did, data));
  });
  return await listen(server);
}

function documentOf(did, { alsoKnownAs, verificationMethods, services }) {
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
    id: did,
    alsoKnownAs,
    verificationMethod: Object.entries(verificationMethods).map(([name, key]) => ({
      id: `${did}#${name}`,
      type: "Multikey",
      controller: did,
      publicKeyMultibase: key.slice("did:key:".length),
    })),
    service: Object.entries(services).map(([name, { type, endpoint }]) => ({
      id: `#${name}`,
      type,
      serviceEndpoint: endpoint,
    })),
  };
}

/** Presents the PDS as a relay with one host. */
export async function startRelayFront(pdsPort) {
  const server = http.createServer((request, response) => {
    if (!request.url.startsWith("/xrpc/com.atproto.sync.listHosts")) {
      return forward(pdsPort, request, response);
    }
    const { port } = server.address();
    const host = { hostname: `localhost:${port}`, accountCount: 1, seq: 1, status: "active" };
    sendJson(response, { hosts: [host] });
  });
  server.on("upgrade", (request, socket, head) => forwardUpgrade(pdsPort, request, socket, head));
  return await listen(server);
}

function forward(port, request, response) {
  const { method, url: path, headers } = request;
  const upstream = http.request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  upstream.on("error", () => response.destroy());
  request.pipe(upstream);
}

function forwardUpgrade(port, request, socket, head) {
  const upstream = net.connect(port, "127.0.0.1", () => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let n = 0; n < request.rawHeaders.length; n += 2) {
      lines.push(`${request.rawHeaders[n]}: ${request.rawHeaders[n + 1]}`);
    }
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("error", () => upstream.destroy());
}
