import { afterEach, describe, expect, it, vi } from "vitest";
import { issueFirstKey } from "./fresh-key.ts";

const response = { key: { id: "AAAAAAAA" }, token: "ear_AAAAAAAA_secret" };

afterEach(() => vi.unstubAllGlobals());

describe("the first key of an account", () => {
  it("the first key of an account is requested only once, even by concurrent and later calls", async () => {
    const fetchMock = vi.fn(async () => Response.json(response, { status: 201 }));
    vi.stubGlobal("fetch", fetchMock);
    await Promise.all([issueFirstKey("ann"), issueFirstKey("ann")]);
    await issueFirstKey("ann");
    expect(fetchMock).toHaveBeenCalledTimes(1);
  });

  it("the first key of an account is requested again after an error", async () => {
    const refuse = async () => Response.json({ code: "internal" }, { status: 500 });
    vi.stubGlobal("fetch", vi.fn(refuse));
    await expect(issueFirstKey("bob")).rejects.toMatchObject({ code: "internal" });
    const fetchMock = vi.fn(async () => Response.json(response, { status: 201 }));
    vi.stubGlobal("fetch", fetchMock);
    await issueFirstKey("bob");
    expect(fetchMock).toHaveBeenCalledTimes(1);
  });
});
