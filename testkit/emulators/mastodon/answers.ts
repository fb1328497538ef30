export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

export const ok = (body: unknown, headers: Record<string, string> = {}): Answer => ({
  status: 200,
  body,
  headers,
});

const error = (status: number, text: string): Answer => ({ status, body: { error: text } });

export const answers = {
  notFound: error(404, "Record not found"),
  invalidToken: error(401, "The access token is invalid"),
  needsUser: error(401, "This API requires an authenticated user"),
  needsUserToken: error(422, "This method requires an authenticated user"),
  outOfScope: error(403, "This action is outside the authorized scopes"),
  tooMany: error(429, "Too many requests"),
  noUserAgent: error(418, "I'm a teapot: no user agent sent with request"),
  notAllowed: error(405, "Method Not Allowed"),
  missing: (parameter: string) =>
    error(400, `param is missing or the value is empty: ${parameter}`),
};
