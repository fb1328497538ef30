import type { ApiRecord } from "./expected.ts";

/** How one account asks Earshot. */
export type Asker = {
  /** All pages of an answer; throws what Earshot says against it. */
  all(asked: Asked): Promise<ApiRecord[]>;
  /** One page of it, with its status. */
  page(asked: Asked, cursor?: string): Promise<Page>;
  submit(asked: Asked, cursor?: string): Promise<Answered>;
  result(uuid: string): Promise<Answered>;
};

export type Asked = {
  method: string;
  query?: string;
  type?: string;
  maxResults?: number;
  startTime?: string;
};

type Page = { records: ApiRecord[]; next: string | null; status: Status };

type Status = {
  uuid: string;
  status: string;
  error: string;
  complete: boolean;
  sources: { platform: string; via: string; count: number }[];
  warnings: { code: string; message: string }[];
};

type Answered = { code: number; body: Record<string, unknown> & { uuid?: string } };

/** Pages of one answer; far more than any answer here has. */
const mostPages = 100;

export function createAsker(base: string, key: string, platform = "bluesky"): Asker {
  const path = `${base}/v1/search/live/${platform}`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

  async function call(url: string, body: object | null): Promise<Response> {
    return body === null
      ? await fetch(url, { headers })
      : await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  }

  const answered = async (answer: Response): Promise<Answered> => ({
    code: answer.status,
    body: (await answer.json()) as Answered["body"],
  });

  async function submit(asked: Asked, cursor?: string): Promise<Answered> {
    const { method, query, type = "social", maxResults = 100, startTime } = asked;
    const args = {
      type: method,
      ...(query === undefined ? {} : { query }),
      max_results: maxResults,
      ...(startTime === undefined ? {} : { start_time: startTime }),
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
    };
    return await answered(await call(path, { type, arguments: args }));
  }

  async function page(asked: Asked, cursor?: string): Promise<Page> {
    const said = (text: unknown): Error => new Error(`${JSON.stringify(asked)}: ${text}`);
    const { code, body } = await submit(asked, cursor);
    if (code !== 202) throw said(`${code} ${JSON.stringify(body)}`);
    const answer = await call(`${path}/result/${body.uuid}?wait=30`, null);
    if (answer.status !== 200) throw said(`${answer.status} ${await answer.text()}`);
    const records = (await answer.json()) as ApiRecord[];
    const told = await call(`${path}/status/${body.uuid}`, null);
    const next = answer.headers.get("x-next-cursor");
    return { records, next, status: (await told.json()) as Status };
  }

  return {
    submit,
    page,
    result: async (uuid) => await answered(await call(`${path}/result/${uuid}?wait=30`, null)),
    all: async (asked) => {
      const records: ApiRecord[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < mostPages; pages++) {
        const { records: some, next } = await page(asked, cursor);
        records.push(...some);
        if (next === null) return records;
        cursor = next;
      }
      throw new Error(`${JSON.stringify(asked)} has more than ${mostPages} pages`);
    },
  };
}
