import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startCpuTime } from "../../testkit/cpu-time.ts";
import { xUri } from "./ids.ts";
import { platforms } from "./post.ts";
import { blueskyUri, importedUri, postKey, postKeys, readNamedPost } from "./references.ts";

const atUri = "at://did:plc:abc/app.bsky.feed.post/3mptbyoeyc22k";
const getKey = (platform: (typeof platforms)[number], uri: string) =>
  postKey(platform, { id: null, uri });

describe("key of a post", () => {
  test("the key of an X post is its number, from the id or the uri", () => {
    expect(postKey("x", { id: "20", uri: null })).toBe("x/20");
    expect(postKey("x", { id: null, uri: xUri(20n) })).toBe("x/20");
    expect(postKey("x", { id: "20", uri: xUri(20n) })).toBe("x/20");
    expect(getKey("x", "https://twitter.com/jack/status/20")).toBe("x/20");
  });

  test("the key of a post on another platform is made from its uri, or else its id, and differs between platforms", () => {
    const key = getKey("bluesky", atUri);
    expect(key).toMatch(/^bluesky\/[0-9a-f]{16}$/);
    expect(postKey("bluesky", { id: "7", uri: atUri })).toBe(key);
    expect(postKey("bluesky", { id: atUri, uri: null })).toBe(key);
    expect(getKey("mastodon", atUri)).toMatch(/^mastodon\/[0-9a-f]{16}$/);
    expect(getKey("mastodon", atUri)?.slice(9)).toBe(key?.slice(8));
    expect(getKey("bluesky", atUri.toUpperCase())).not.toBe(key);
    expect(getKey("x", "import:x:abc")).toMatch(/^x\/[0-9a-f]{16}$/);
  });

  test("the key of a post is null if nothing is known", () => {
    for (const platform of platforms) {
      expect(postKey(platform, { id: null, uri: null })).toBeNull();
      expect(postKeys(platform, { id: null, uri: null })).toEqual([]);
    }
  });

  test("a post whose uri is made from a number also has the key of the bare number", () => {
    const numberKey = postKey("mastodon", { id: "7", uri: null });
    const uri = importedUri("mastodon", "7", "one.example");
    expect(uri).toBe("import:mastodon:7@one.example");
    expect(postKeys("mastodon", { id: null, uri })).toEqual([getKey("mastodon", uri), numberKey]);
    expect(postKeys("mastodon", { id: uri, uri: null })).toContain(numberKey);
    expect(postKeys("bluesky", { id: null, uri: importedUri("bluesky", "7") })).toHaveLength(2);
    expect(postKeys("bluesky", { id: null, uri: atUri })).toEqual([getKey("bluesky", atUri)]);
    expect(postKeys("x", { id: "7", uri: xUri(7n) })).toEqual(["x/7"]);
    const hash = "0".repeat(64);
    expect(postKeys("mastodon", { id: null, uri: `import:mastodon:${hash}` })).toHaveLength(1);
  });
});

describe("post named in a query", () => {
  test("digits in a query name the X post or imported post with this number, or the stored post with this ID", () => {
    const { number, keys } = readNamedPost("1140437409710116865");
    expect(number).toBe(1140437409710116865n);
    expect(keys).toContain("x/1140437409710116865");
    expect(keys).toContain(postKey("mastodon", { id: "1140437409710116865", uri: null }));
    expect(keys).toHaveLength(3);
    expect(readNamedPost("020")).toMatchObject({ number: 20n });
    expect(readNamedPost("020").keys).toContain("x/20");
  });

  test("digits above the highest possible ID name no stored post", () => {
    expect(readNamedPost("9223372036854775807").number).toBe(9223372036854775807n);
    expect(readNamedPost("9223372036854775808").number).toBeNull();
    expect(readNamedPost("12345678901234567890").number).toBeNull();
  });

  test.each([
    "https://x.com/jack/status/20",
    "http://twitter.com/jack/status/20",
    "https://www.twitter.com/jack/statuses/20",
    "https://mobile.twitter.com/jack/status/20?s=20&t=abc",
    "https://X.com/i/web/status/20#m",
    "https://x.com/i/status/20/photo/1",
    "https://x.com/jack/status/020",
  ])(
    "the URL %s names the X post 20, and no post with the ID 20 on another platform",
    (address) => {
      const { number, keys } = readNamedPost(address);
      expect(keys).toContain("x/20");
      expect(number).toBeNull();
      expect(keys).not.toContain(postKey("bluesky", { id: "20", uri: null }));
    },
  );

  test.each([
    "https://x.com.example.org/jack/status/20",
    "https://example.org/https://x.com/jack/status/20",
    "https://x.com/jack/status/20a",
    "https://x.com/jack/likes/20",
    "https://xx.com/jack/status/20",
  ])("the URL %s does not name an X post", (address) => {
    expect(readNamedPost(address).keys).not.toContain("x/20");
  });

  test.each([
    "https://bsky.app/profile/did:plc:abc/post/3mptbyoeyc22k",
    "https://www.bsky.app/profile/did:plc:abc/post/3mptbyoeyc22k?ref=1",
    "http://bsky.app/profile/did:plc:abc/post/3mptbyoeyc22k/liked-by",
    atUri,
  ])("%s names the post of the at:// uri", (address) => {
    expect(blueskyUri("did:plc:abc", "3mptbyoeyc22k")).toBe(atUri);
    const { keys, bluesky } = readNamedPost(address);
    expect(keys).toContain(getKey("bluesky", atUri));
    expect(bluesky).toBeNull();
  });

  test("a Bluesky URL with a handle names the post by its handle in lower case and its record key", () => {
    const address = "https://bsky.app/profile/Alice.bsky.social/post/3mptbyoeyc22k";
    expect(readNamedPost(address).bluesky).toEqual({
      handle: "alice.bsky.social",
      key: "3mptbyoeyc22k",
    });
  });

  test("the URL of a page also names the post that has this URL as its uri", () => {
    const address = "https://bsky.app/profile/did:plc:abc/post/3mptbyoeyc22k";
    expect(readNamedPost(address).keys).toContain(getKey("mastodon", address));
  });

  test("a uri of any form names the post with this uri", () => {
    for (const uri of ["https://one.example/users/ann/statuses/7", "import:x:abc", "tag:a,1:b"]) {
      const { number, keys, bluesky } = readNamedPost(uri);
      expect({ number, bluesky }).toEqual({ number: null, bluesky: null });
      expect(keys).toEqual(platforms.map((platform) => getKey(platform, uri)));
    }
  });

  test("any string is accepted as the name of a post, and hostile ones are parsed quickly", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (written) => {
        expect(new Set(readNamedPost(written).keys).size).toBe(3);
      }),
    );
    for (const piece of ["9", "/", "x.com/", "at://", "https://bsky.app/profile/", "did:"]) {
      const cpuMs = startCpuTime();
      readNamedPost(`https://bsky.app/profile/${piece.repeat(8_192)}`);
      readNamedPost(`https://x.com/${piece.repeat(8_192)}`);
      readNamedPost(piece.repeat(8_192));
      postKeys("mastodon", { id: null, uri: `import:mastodon:${piece.repeat(8_192)}` });
      expect(cpuMs()).toBeLessThan(200);
    }
  });
});
