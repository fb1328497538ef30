import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "../../../testkit/service/certificate.ts";

export type TlsProxy = {
  /** Its address, such as https://localhost:4433. */
  url: string;
  forwardTo(origin: string): void;
  stop(): Promise<void>;
};

/** A TLS proxy with a self-signed certificate. */
export async function startTlsProxy(): Promise<TlsProxy> {
  let target = new URL("http://127.0.0.1:9");
  const server = createServer(makeCertificate(), (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const forwarded = request(new URL(url ?? "/", target), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    forwardTo: (origin) => {
      target = new URL(origin);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
