import type { InjectOptions, LightMyRequestResponse } from "fastify";
import type { ServiceUnderTest } from "./service-under-test.ts";

export type TestBrowser = {
  cookies: Map<string, string>;
  /** Sends no Origin header. */
  visit(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** Sends the CSRF token if it is known. */
  send(
    method: "POST" | "DELETE",
    url: string,
    options?: InjectOptions,
  ): Promise<LightMyRequestResponse>;
  session(): Promise<ReturnType<typeof JSON.parse>>;
  setCookies: string[];
};

const host = "earshot.test";

export function createTestBrowser(
  { app }: Pick<ServiceUnderTest, "app">,
  origin = `http://${host}`,
): TestBrowser {
  const cookies = new Map<string, string>();
  let csrf: string | null = null;

  async function call(options: InjectOptions): Promise<LightMyRequestResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await app.inject({
      ...options,
      headers: { host, ...(cookie === "" ? {} : { cookie }), ...options.headers },
    });
    const fields = response.headers["set-cookie"] ?? [];
    browser.setCookies = Array.isArray(fields) ? fields : [fields];
    for (const field of browser.setCookies) storeCookie(field);
    return response;
  }

  function storeCookie(field: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(field) ?? [];
    if (/max-age=0/i.test(field)) cookies.delete(name);
    else cookies.set(name, value);
  }

  const browser: TestBrowser = {
    cookies,
    setCookies: [],
    visit: (url, headers = {}) => call({ url, headers: { "sec-fetch-site": "none", ...headers } }),
    send: (method, url, options = {}) =>
      call({
        method,
        url,
        ...options,
        headers: {
          origin,
          "sec-fetch-site": "same-origin",
          ...(csrf === null ? {} : { "x-earshot-csrf": csrf }),
          ...options.headers,
        },
      }),
    session: async () => {
      const response = await call({
        url: "/dashboard/api/session",
        headers: { "sec-fetch-site": "same-origin" },
      });
      const body = response.json();
      csrf = body.signed_in?.csrf ?? null;
      return body;
    },
  };
  return browser;
}
