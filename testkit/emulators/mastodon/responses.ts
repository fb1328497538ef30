export type EmulatedResponse = { status: number; body: unknown; headers?: Record<string, string> };

export const ok = (body: unknown, headers: Record<string, string> = {}): EmulatedResponse => ({
  status: 200,
  body,
  headers,
});

const error = (status: number, text: string): EmulatedResponse => ({
  status,
  body: { error: text },
});

export const responses = {
  notFound: error(404, "Record not found"),
  invalidToken: error(401, "The access token is invalid"),
  userRequired: error(401, "This API requires an authenticated user"),
  userTokenRequired: error(422, "This method requires an authenticated user"),
  outOfScope: error(403, "This action is outside the authorized scopes"),
  tooManyRequests: error(429, "Too many requests"),
  userAgentRequired: error(418, "I'm a teapot: no user agent sent with request"),
  methodNotAllowed: error(405, "Method Not Allowed"),
  parameterRequired: (parameter: string) =>
    error(400, `param is missing or the value is empty: ${parameter}`),
};
