import type { FastifyReply, FastifyRequest } from "fastify";
import type {
  PresentedToken,
  SessionToken,
  SessionTokens,
} from "../../accounts/sessions/session-token.ts";

/**
 * The two cookies of the dashboard: who is signed in, and, for some minutes, what a sign-in under way can be finished with. Where
 * the server is known by an https address they are kept to TLS and to its very host (`__Host-`); a laptop has no TLS, and a
 * browser would not take them there. Script never sees them, and no other site's page brings them along but by a link.
 */
export type DashboardCookies = {
  /** The token of the session that the request brings; null where it brings none that this server made. */
  session(request: FastifyRequest): PresentedToken | null;
  /** What the cookie of a session holds. */
  printSession(token: SessionToken): string;
  setSession(reply: FastifyReply, token: SessionToken, maxAgeMs: number): void;
  clearSession(reply: FastifyReply): void;
  /** The sign-in that this browser has begun, as it was sealed; null where there is none. */
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
