import { request } from "node:http";

type Answer = { status: number; location: string | null; cookies: readonly string[]; text: string };

/** Signs in at the account's server, authorizes the app, and returns the redirect. */
export async function authorizeApp(
  address: string,
  { did, handle, password }: { did: string; handle: string; password: string },
): Promise<string> {
  const { origin } = new URL(address);
  const cookies = new Map<string, string>();

  async function send(
    url: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sentHeaders = { ...headers, ...(cookie === "" ? {} : { cookie }) };
    const answer = await exchange(url, sentHeaders, body);
    for (const line of answer.cookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    if (answer.status >= 400) throw new Error(`${url}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async function call(name: string, body: object, token?: string): Promise<ProviderAnswer> {
    const headers = {
      origin,
      referer: address,
      "sec-fetch-mode": "same-origin",
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      "x-csrf-token": cookies.get("csrf-token") ?? "",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const { text } = await send(`${origin}/@atproto/oauth-provider/~api/${name}`, headers, body);
    return JSON.parse(text) as ProviderAnswer;
  }

  await send(address, { ...navigationHeaders, "sec-fetch-site": "none" });
  const login = { username: handle, password, locale: "en", remember: false };
  const { ephemeralToken } = await call("sign-in", login);
  const { url = "" } = await call("consent", { did }, ephemeralToken);
  const sameOrigin = { "sec-fetch-site": "same-origin", referer: address };
  const { location } = await send(url, { ...navigationHeaders, ...sameOrigin });
  if (location === null) throw new Error(`${origin} did not redirect back`);
  return location;
}

type ProviderAnswer = { ephemeralToken?: string; url?: string };

const navigationHeaders = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

/** `fetch` would set browser headers itself. */
function exchange(url: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const outgoing = request(url, { method, headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({
        status: response.statusCode ?? 0,
        location: response.headers.location ?? null,
        cookies: response.headers["set-cookie"] ?? [],
        text: Buffer.concat(chunks).toString("utf8"),
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
