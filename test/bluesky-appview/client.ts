import type { ApiRecord } from "./expected.ts";

export type AccountClient = {
  /** Fetches all pages. Throws Earshot's error. */
  fetchAll(request: MethodRequest): Promise<ApiRecord[]>;
  fetchPage(request: MethodRequest, cursor?: string): Promise<Page>;
  submit(request: MethodRequest, cursor?: string): Promise<ApiResponse>;
  fetchResult(uuid: string): Promise<ApiResponse>;
};

export type MethodRequest = {
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

type ApiResponse = { code: number; body: Record<string, unknown> & { uuid?: string } };

/** Far more pages than any list has. */
const maxPages = 100;

export function createAccountClient(
  base: string,
  key: string,
  platform = "bluesky",
): AccountClient {
  const path = `${base}/v1/search/live/${platform}`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

  async function call(url: string, body: object | null): Promise<Response> {
    return body === null
      ? await fetch(url, { headers })
      : await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  }

  const readResponse = async (response: Response): Promise<ApiResponse> => ({
    code: response.status,
    body: (await response.json()) as ApiResponse["body"],
  });

  async function submit(request: MethodRequest, cursor?: string): Promise<ApiResponse> {
    const { method, query, type = "social", maxResults = 100, startTime } = request;
    const args = {
      type: method,
      ...(query === undefined ? {} : { query }),
      max_results: maxResults,
      ...(startTime === undefined ? {} : { start_time: startTime }),
      ...(cursor === undefined ? {} : { next_cursor: cursor }),
    };
    return await readResponse(await call(path, { type, arguments: args }));
  }

  async function fetchPage(request: MethodRequest, cursor?: string): Promise<Page> {
    const failure = (text: unknown): Error => new Error(`${JSON.stringify(request)}: ${text}`);
    const { code, body } = await submit(request, cursor);
    if (code !== 202) throw failure(`${code} ${JSON.stringify(body)}`);
    const response = await call(`${path}/result/${body.uuid}?wait=30`, null);
    if (response.status !== 200) throw failure(`${response.status} ${await response.text()}`);
    const records = (await response.json()) as ApiRecord[];
    const statusResponse = await call(`${path}/status/${body.uuid}`, null);
    const next = response.headers.get("x-next-cursor");
    return { records, next, status: (await statusResponse.json()) as Status };
  }

  return {
    submit,
    fetchPage,
    fetchResult: async (uuid) =>
      await readResponse(await call(`${path}/result/${uuid}?wait=30`, null)),
    fetchAll: async (request) => {
      const records: ApiRecord[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < maxPages; pages++) {
        const { records: pageRecords, next } = await fetchPage(request, cursor);
        records.push(...pageRecords);
        if (next === null) return records;
        cursor = next;
      }
      throw new Error(`${JSON.stringify(request)} has more than ${maxPages} pages`);
    },
  };
}
