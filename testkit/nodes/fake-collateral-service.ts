import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Collateral } from "../../src/remote/evidence/evidence.ts";

export type ServiceError =
  | "error"
  | "garbage"
  | "cut off"
  | "silent"
  | "too long"
  | "without headers";

export type FakeCollateralService = {
  url: string;
  requests: string[];
  respondWith(collateral: Collateral): void;
  failWith(error: ServiceError | null): void;
  isSilent(): boolean;
  stop(): Promise<void>;
};

/** An emulator of a collateral service (PCCS). */
export async function startCollateralService(
  initialCollateral: Collateral,
): Promise<FakeCollateralService> {
  let collateral = initialCollateral;
  let error: ServiceError | null = null;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    if (error === null) respond(path, collateral, response);
    else fail(error, response);
  });
  server.on("connection", (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    respondWith: (next) => {
      collateral = next;
    },
    failWith: (next) => {
      error = next;
    },
    isSilent: () => error === "silent",
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function respond(path: string, collateral: Collateral, response: ServerResponse): void {
  const setChainHeader = (name: string, pem: string) =>
    response.setHeader(name, encodeURIComponent(pem));
  const signedJson = (name: string, text: string, signature: string) =>
    `{"${name}":${text},"signature":"${signature}"}`;
  if (path === "/sgx/certification/v4/pckcrl?ca=platform&encoding=der") {
    setChainHeader("SGX-PCK-CRL-Issuer-Chain", collateral.pck_crl_issuer_chain);
    response.end(Buffer.from(collateral.pck_crl, "hex"));
  } else if (path.startsWith("/tdx/certification/v4/tcb?fmspc=")) {
    setChainHeader("TCB-Info-Issuer-Chain", collateral.tcb_info_issuer_chain);
    response.end(signedJson("tcbInfo", collateral.tcb_info, collateral.tcb_info_signature));
  } else if (path === "/tdx/certification/v4/qe/identity?update=standard") {
    setChainHeader("SGX-Enclave-Identity-Issuer-Chain", collateral.qe_identity_issuer_chain);
    response.end(
      signedJson("enclaveIdentity", collateral.qe_identity, collateral.qe_identity_signature),
    );
  } else if (path === "/sgx/certification/v4/rootcacrl") {
    response.end(collateral.root_ca_crl);
  } else {
    response.writeHead(404).end();
  }
}

function fail(error: ServiceError, response: ServerResponse): void {
  if (error === "silent") return;
  if (error === "error") response.writeHead(500).end("Internal Server Error");
  if (error === "garbage") response.end("<html>\u0000 not at all</html>");
  if (error === "without headers") response.end("{}");
  if (error === "too long") response.end(Buffer.alloc(600_000, 0x20));
  if (error !== "cut off") return;
  response.writeHead(200, { "content-length": "1000" });
  response.write("{");
  setImmediate(() => response.destroy());
}
