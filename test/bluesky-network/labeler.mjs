import http from "node:http";
import { Secp256k1Keypair } from "@atproto/crypto";
import { encode } from "@atproto/lex-cbor";
import { MessageFrame, XrpcStreamServer } from "@atproto/xrpc-server";
import { listen, sendJson } from "../../testkit/bluesky-world/local-http.mjs";

/**
 * Emulates com.atproto.label.subscribeLabels on the network's stream server. Signs, stores and sends labels posted to
 * /labels.
 */
export async function startLabeler() {
  const key = await Secp256k1Keypair.create();
  const frames = [];
  let frameAdded = Promise.withResolvers();
  const server = http.createServer(async (request, response) => {
    if (request.method !== "POST" || request.url !== "/labels") return sendJson(response, null);
    let body = "";
    for await (const piece of request) body += piece;
    const labels = JSON.parse(body).map((label) => ({ ver: 1, ...label }));
    for (const label of labels) label.sig = await key.sign(encode(label));
    frames.push({ seq: frames.length + 1, labels });
    frameAdded.resolve();
    frameAdded = Promise.withResolvers();
    sendJson(response, { seq: frames.length });
  });
  const stream = new XrpcStreamServer({ noServer: true, handler: framesFor });
  async function* framesFor(request, signal) {
    const cursor = new URL(request.url, "http://localhost").searchParams.get("cursor");
    let at = cursor === null ? frames.length : Number(cursor);
    while (!signal.aborted) {
      while (at < frames.length) yield new MessageFrame(frames[at++], { type: "#labels" });
      await frameAdded.promise;
    }
  }
  server.on("upgrade", (request, socket, head) => {
    if (!request.url.startsWith("/xrpc/com.atproto.label.subscribeLabels")) return socket.destroy();
    stream.wss.handleUpgrade(request, socket, head, (webSocket) =>
      stream.wss.emit("connection", webSocket, request),
    );
  });
  const labelsOf = (subjects, sources) => {
    const last = new Map();
    for (const label of frames.flatMap(({ labels }) => labels)) {
      const { src, uri, val } = label;
      if (subjects.includes(uri) && sources.includes(src)) last.set(`${src} ${uri} ${val}`, label);
    }
    const now = new Date().toISOString();
    return [...last.values()]
      .filter(({ neg, exp }) => !neg && (exp === undefined || exp > now))
      .map(({ sig: _sig, ...label }) => label);
  };
  return { port: await listen(server), labelsOf };
}
