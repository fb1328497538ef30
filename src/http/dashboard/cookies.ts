import type { FastifyReply, FastifyRequest } from "fastify";
import type {
  PresentedToken,
  SessionToken,
  SessionTokens,
} from "../../accounts/sessions/session-token.ts";

/** Uses `Secure` and `__Host-` only with an https base URL, because browsers reject them without TLS. */
export type DashboardCookies = {
  /** Null unless this server issued the token. */
  session(request: FastifyRequest): PresentedToken | null;
  printSession(token: SessionToken): string;
  setSession(reply: FastifyReply, token: SessionToken, maxAgeMs: number): void;
  clearSession(reply: FastifyReply): void;
  /** Null if no sign-in is pending. */
  signIn(request: FastifyRequest): string | null;
  setSignIn(reply: FastifyReply, attempt: string, maxAgeMs: number): void;
  clearSignIn(reply: FastifyReply): void;
};

export function createCookies(publicUrl: string | null, tokens: SessionTokens): DashboardCookies {
  const secure = publicUrl?.startsWith("https:") === true;
  const prefix = secure ? "__Host-" : "";
  const sessionName = `${prefix}earshot`;
  const signInName = `${prefix}earshot-sign-in`;
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure } as const;

  function read(request: FastifyRequest, name: string): string | null {
    const { cookie } = request.headers;
    return cookie === undefined ? null : (request.server.parseCookie(cookie)[name] ?? null);
  }

  function set(reply: FastifyReply, name: string, value: string, maxAgeMs: number): void {
    reply.setCookie(name, value, {
      ...attributes,
      maxAge: Math.max(0, Math.ceil(maxAgeMs / 1000)),
    });
  }

  return {
    session: (request) => tokens.parse(read(request, sessionName) ?? ""),
    printSession: tokens.print,
    setSession: (reply, token, maxAgeMs) => set(reply, sessionName, tokens.print(token), maxAgeMs),
    clearSession: (reply) => set(reply, sessionName, "", 0),
    signIn: (request) => read(request, signInName),
    setSignIn: (reply, attempt, maxAgeMs) => set(reply, signInName, attempt, maxAgeMs),
    clearSignIn: (reply) => set(reply, signInName, "", 0),
  };
}
