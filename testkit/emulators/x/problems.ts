export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

const problem = (name: string): string => `https://api.x.com/2/problems/${name}`;

export const badParameter = (parameter: string, value: string, message: string): Refusal =>
  new Refusal(400, {
    errors: [{ parameters: { [parameter]: [value] }, message }],
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: problem("invalid-request"),
  });

export const unauthorized = (): Refusal =>
  new Refusal(401, {
    title: "Unauthorized",
    type: "about:blank",
    status: 401,
    detail: "Unauthorized",
  });

export const missingScope = (): Refusal =>
  new Refusal(403, { title: "Forbidden", type: "about:blank", status: 403, detail: "Forbidden" });

export const clientForbidden = (): Refusal =>
  new Refusal(403, {
    reason: "client-not-enrolled",
    title: "Client Forbidden",
    required_enrollment: "Appropriate Level of API Access",
    detail:
      "When authenticating requests to the X API v2 endpoints, you must use keys and tokens from a developer App that is attached to a Project.",
    registration_url: "https://developer.x.com/en/docs/projects/overview",
    type: problem("client-forbidden"),
  });

/** Undocumented: a proxy may echo what it was sent. */
export const echoedAuthorization = (authorization: string | null): Refusal =>
  badParameter(
    "authorization",
    String(authorization),
    `cannot read Authorization: ${authorization}`,
  );

export const unsupportedAuthentication = (method: string, supported: string): Refusal =>
  new Refusal(403, {
    title: "Unsupported Authentication",
    detail: `Authenticating with ${method} is forbidden for this endpoint.  Supported authentication types are [${supported}].`,
    type: problem("unsupported-authentication"),
    status: 403,
  });

export const usageCapped = (): Refusal =>
  new Refusal(429, {
    account_id: 1,
    product_name: "standard-basic",
    title: "UsageCapExceeded",
    period: "Monthly",
    scope: "Product",
    detail: "Usage cap exceeded: Monthly product cap",
    type: problem("usage-capped"),
  });

export const tooManyRequests = (): Refusal =>
  new Refusal(429, {
    title: "Too Many Requests",
    detail: "Too Many Requests",
    type: "about:blank",
    status: 429,
  });

export const creditsDepleted = (): Refusal =>
  new Refusal(402, {
    title: "CreditsDepleted",
    detail: "Your enrolled account does not have any credits to fulfill this request.",
    type: problem("credits"),
    status: 402,
  });

export const notFound = (kind: string, parameter: string, id: string) => ({
  value: id,
  detail: `Could not find ${kind} with ${parameter}: [${id}].`,
  title: "Not Found Error",
  resource_type: kind,
  parameter,
  resource_id: id,
  type: problem("resource-not-found"),
});

export const notAuthorized = (kind: string, parameter: string, id: string) => ({
  value: id,
  detail: `Sorry, you are not authorized to see the ${kind} with ${parameter}: [${id}].`,
  title: "Authorization Error",
  resource_type: kind,
  parameter,
  resource_id: id,
  type: problem("not-authorized-for-resource"),
});
