import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { configFrom } from "../config.ts";
import { readEnvironment } from "../environment.ts";
import { configurationPages } from "./configuration-page.ts";
import { settingTasks } from "./setting-tasks.ts";
import { allSettings } from "./settings.ts";

function getError(run: () => unknown): EarshotError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
  }
  throw new Error("expected an EarshotError");
}

describe("configuration", () => {
  test("settings have their defaults if nothing is set", () => {
    const config = configFrom(readEnvironment({}));
    expect(config.data.dir).toBe("./.earshot");
    expect(config.http).toMatchObject({ host: "127.0.0.1", port: 8080 });
    expect(config.limits).toMatchObject({ requestsPerSecond: 3, submissionsPerMinute: 10 });
    expect(config.search.liveWindowMs).toBe(7 * 86_400_000);
    expect(config.jobs).toMatchObject({ deadlineMs: 120_000, resultRetentionMs: 86_400_000 });
    expect(config.ingest.source).toBe("bluesky");
  });

  test("a setting's default text parses to its default value", () => {
    for (const setting of allSettings()) {
      expect(setting.parse(setting.defaultText), setting.name).toEqual(setting.fallback);
    }
  });

  test("a value that is set takes effect, and an empty value counts as unset", () => {
    const environment = readEnvironment({
      EARSHOT_PORT: "0",
      EARSHOT_LIVE_WINDOW: "36h",
      EARSHOT_INGEST: "off",
      EARSHOT_HOST: "",
      PATH: "/bin",
    });
    const config = configFrom(environment);
    expect(config.http.port).toBe(0);
    expect(config.http.host).toBe("127.0.0.1");
    expect(config.search.liveWindowMs).toBe(36 * 3_600_000);
    expect(config.ingest.source).toBe("off");
  });

  test("an unknown setting is refused with a suggestion", () => {
    const error = getError(() => readEnvironment({ EARSHOT_PROT: "80" }));
    expect(error.code).toBe("unknown_setting");
    expect(error.message).toContain("EARSHOT_PROT");
    expect(error.hint).toContain("EARSHOT_PORT");
  });

  test("a renamed setting is refused with its new name, which exists", () => {
    const error = getError(() => readEnvironment({ EARSHOT_MAX_HELD_REQUESTS: "9" }));
    expect(error.hint).toBe("it was renamed: set EARSHOT_MAX_WAITING_REQUESTS instead");
    expect(() => readEnvironment({ EARSHOT_MAX_WAITING_REQUESTS: "9" })).not.toThrow();
  });

  test.each([
    ["EARSHOT_PORT", "80a"],
    ["EARSHOT_PORT", "70000"],
    ["EARSHOT_LIVE_WINDOW", "7 days"],
    ["EARSHOT_LEASE", "0s"],
    ["EARSHOT_LEASE", "999ms"],
    ["EARSHOT_RETRY_DELAY", "0ms"],
    ["EARSHOT_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["EARSHOT_TRUSTED_PROXIES", "proxy.example"],
    ["EARSHOT_INGEST", "twitter"],
    ["EARSHOT_JETSTREAM_URLS", "wss://a.example/subscribe,https://b.example"],
    ["EARSHOT_INGEST_COLLECTIONS", "posts,follows"],
    ["EARSHOT_LABELER_SOURCES", "mod.bsky.app"],
  ])("%s=%s is refused with a message that describes valid values", (name, value) => {
    const error = getError(() => configFrom(readEnvironment({ [name]: value })));
    expect(error.code).toBe("invalid_setting");
    expect(error.message).toContain(name);
    expect(error.message).toContain(value);
    expect(error.message).toContain(`${name} must be `);
  });

  test.each([
    ["EARSHOT_SECRET_KEY", "hidden"],
    ["EARSHOT_NETWORK_REPLAY_TOKEN", "hid den"],
  ])("a malformed %s is refused without repeating it", (name, value) => {
    const error = getError(() => configFrom(readEnvironment({ [name]: value })));
    expect(error.code).toBe("invalid_setting");
    expect(error.message).toContain(name);
    expect(`${error.message} ${error.hint} ${JSON.stringify(error.details)}`).not.toContain(value);
  });

  test("all malformed settings are reported together", () => {
    const error = getError(() =>
      configFrom(readEnvironment({ EARSHOT_PORT: "x", EARSHOT_READERS: "y" })),
    );
    expect(error.details).toHaveLength(2);
  });

  test.each(configurationPages)(
    "$url.pathname lists the settings in the code",
    ({ url, update }) => {
      const page = readFileSync(url, "utf8");
      expect(page, "npm run docs updates the page").toBe(update(page));
    },
  );

  test("no two settings share an environment variable", () => {
    const names = allSettings().map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test("each setting listed by task exists, and is listed under one task", () => {
    const listedNames = Object.values(settingTasks).flat();
    expect(listedNames).toEqual([...new Set(listedNames)]);
    const names = allSettings().map(({ name }) => name);
    expect(listedNames.filter((name) => !names.includes(name))).toEqual([]);
  });
});
