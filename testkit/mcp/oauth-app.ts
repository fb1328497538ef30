import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { makeCertificate } from "../service/certificate.ts";

/** The HTTPS host of an app's client metadata documents. */
export type ClientMetadataHost = {
  origin: string;
  clientId: string;
  /** Returns the document's URL; with status 302, `document` is the URL to redirect to. */
  publish(path: string, document: unknown, status?: number): string;
  requestedPaths: string[];
  stop(): Promise<void>;
};

/** A loopback redirect URI with a port, which the registered one lacks. */
export const loopbackCallback = "http://127.0.0.1:41999/callback";

const webCallback = "https://app.example/callback";

/** This process trusts its certificate. */
export async function startClientMetadataHost(): Promise<ClientMetadataHost> {
  const certificate = makeCertificate();
  setDefaultCACertificates([...getCACertificates("default"), certificate.cert.toString()]);
  const responses = new Map<string, { status: number; body: string }>();
  const requestedPaths: string[] = [];
  const server = createServer(certificate, ({ url = "/" }, response) => {
    requestedPaths.push(url);
    const storedResponse = responses.get(url);
    const location = storedResponse?.status === 302 ? { location: storedResponse.body } : {};
    response.writeHead(storedResponse?.status ?? 404, {
      "content-type": "application/json",
      ...location,
    });
    response.end(storedResponse?.body ?? "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;

  const publish: ClientMetadataHost["publish"] = (path, document, status = 200) => {
    const body = typeof document === "string" ? document : JSON.stringify(document);
    responses.set(path, { status, body });
    return `${origin}${path}`;
  };

  const clientId = `${origin}/client.json`;
  publish("/client.json", clientDocument(clientId));
  return {
    origin,
    clientId,
    publish,
    requestedPaths,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const clientDocument = (clientId: string) => ({
  client_id: clientId,
  client_name: "Reader",
  redirect_uris: ["http://127.0.0.1/callback", webCallback],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
});

export type TestProvider = OAuthClientProvider & {
  authorizationUrl: URL | null;
  storedTokens: { access_token: string; refresh_token?: string | undefined } | null;
};

export function createTestProvider(clientId: string): TestProvider {
  const memory: Record<string, unknown> = {};
  const provider: TestProvider = {
    authorizationUrl: null,
    storedTokens: null,
    redirectUrl: loopbackCallback,
    clientMetadataUrl: clientId,
    clientMetadata: { client_name: "Reader", redirect_uris: [loopbackCallback] },
    state: () => "state-of-the-client",
    clientInformation: () => memory.client as never,
    saveClientInformation: (client) => {
      memory.client = client;
    },
    tokens: () => provider.storedTokens as never,
    saveTokens: (tokens) => {
      provider.storedTokens = tokens;
    },
    redirectToAuthorization: (url) => {
      provider.authorizationUrl = url;
    },
    saveCodeVerifier: (verifier) => {
      memory.verifier = verifier;
    },
    codeVerifier: () => String(memory.verifier),
    saveDiscoveryState: (state) => {
      memory.discovery = state;
    },
    discoveryState: () => memory.discovery as never,
    invalidateCredentials: () => {
      provider.storedTokens = null;
    },
  };
  return provider;
}
