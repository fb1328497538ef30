import { type Platform, platforms } from "../../posts/post.ts";
import {
  type FetchMethod,
  type Method,
  ownMethods,
  type SearchMethod,
  type SourceType,
} from "../methods.ts";
import type { ConfiguredAccess } from "../requests/sessions.ts";
import type { SearchPlatform } from "../source.ts";
import type { Target } from "../target.ts";
import type { AccessKind, MethodSupport } from "../upstream.ts";
import { type AnswerContext, accessFor } from "./context.ts";
import { isAnsweredByArchive } from "./held-answer.ts";

/** What can be asked at all, known before a job is taken. */
export type Sources = {
  /** The platform that `social` asks where nothing else names one. */
  defaultPlatform: Platform;
  support: Readonly<Record<Platform, Readonly<Record<Method, MethodSupport>>>>;
  /** Whether anything can answer a method that does not search, for an account. */
  answerable(asked: {
    platform: Platform;
    type: SourceType;
    method: FetchMethod;
    accountId: string;
    /** What the query names, which may say where to ask. */
    target: Target | null;
  }): Promise<Answerable>;
  /** Whether any platform would be asked, beside the archive, by a search. */
  isAsked(asked: {
    platform: SearchPlatform;
    type: SourceType;
    method: SearchMethod;
    accountId: string;
  }): Promise<boolean>;
};

export type Answerable =
  /** `isAsked`: the platform can be asked; else the archive answers alone. */
  | { ok: true; isAsked: boolean }
  | {
      ok: false;
      why: "no_counterpart" | "credential_refused" | "own_credential_needed" | "not_configured";
      /** One line each: what is the matter, and what to do. */
      message: string;
      hint: string;
    };

export function createSources({
  sessions,
  upstreams,
  settings,
}: Pick<AnswerContext, "sessions" | "upstreams" | "settings">): Sources {
  async function configuredFor(
    platform: Platform,
    method: Method,
    type: SourceType,
    accountId: string,
  ): Promise<readonly ConfiguredAccess[]> {
    const access = accessFor(type, method, upstreams[platform]);
    if (access.length === 0) return [];
    const configured = await sessions.configured(platform, accountId);
    const isOwn = ownMethods.includes(method);
    return configured.filter(
      (one) => access.includes(one.access) && (!isOwn || one.owner === "account"),
    );
  }

  const answerable: Sources["answerable"] = async (asked) => {
    const { platform, type, method, accountId } = asked;
    const support = upstreams[platform].support[method];
    const isPublic = accessFor(type, method, upstreams[platform]).includes("public");
    const origin = upstreams[platform].publicOriginOf?.(asked.target) ?? null;
    if (isPublic && origin !== null) return { ok: true, isAsked: true };
    const configured = await configuredFor(platform, method, type, accountId);
    if (configured.length > 0) return { ok: true, isAsked: true };
    if (isAnsweredByArchive(method)) return { ok: true, isAsked: false };
    if (support.access.length === 0) {
      const having = platforms.filter((one) => upstreams[one].support[method].access.length > 0);
      return {
        ok: false,
        why: "no_counterpart",
        message: `${platform} has nothing that answers ${method}`,
        hint:
          "closest" in support
            ? `${elsewhere(method, having)}. ${support.closest.replace(/^None: /, "")}`
            : elsewhere(method, having),
      };
    }
    const refusal = await sessions.refusal(platform, accountId);
    if (refusal !== null) {
      return {
        ok: false,
        why: "credential_refused",
        message: `your credential of ${platform} is not used, as it was refused: ${refusal}`,
        hint: "earshot credentials test uses it again where it works, earshot credentials add replaces it",
      };
    }
    if (ownMethods.includes(method)) {
      return {
        ok: false,
        why: "own_credential_needed",
        message: `${method} shows what belongs to one account: it needs a credential of ${platform} of your own`,
        hint: `${kindsOf[platform].user} --account NAME adds one to the account of your key`,
      };
    }
    return {
      ok: false,
      why: "not_configured",
      message: `nothing configured can ask ${platform} for ${method} as ${type}`,
      hint: toConfigure(platform, accessFor(type, method, upstreams[platform]), support.access),
    };
  };

  return {
    defaultPlatform: settings.defaultPlatform,
    support: {
      bluesky: upstreams.bluesky.support,
      mastodon: upstreams.mastodon.support,
      x: upstreams.x.support,
    },
    answerable,
    isAsked: async ({ platform: word, type, method, accountId }) => {
      const searched = word === "social" ? platforms : [word];
      const each = await Promise.all(
        searched
          .filter((platform) => upstreams[platform].search !== null)
          .map((platform) => configuredFor(platform, method, type, accountId)),
      );
      return each.some((configured) => configured.length > 0);
    },
  };
}

const elsewhere = (method: Method, having: readonly Platform[]): string =>
  having.length === 0
    ? `no platform has ${method}`
    : `${having.join(" and ")} ${having.length === 1 ? "has" : "have"} ${method}`;

const kindsOf: Readonly<Record<Platform, Partial<Record<AccessKind, string>>>> = {
  bluesky: {
    user: "earshot credentials add bluesky app-password",
    public: "EARSHOT_BLUESKY_PUBLIC=on",
  },
  mastodon: {
    user: "earshot credentials add mastodon user-token",
    app: "earshot credentials add mastodon app-token",
    public: "EARSHOT_MASTODON_INSTANCE",
  },
  x: {
    user: "earshot credentials add x user-token",
    app: "earshot credentials add x app-token",
  },
};

/** What makes the method work: by the ways that the type allows, or by another type where it allows none of them. */
function toConfigure(
  platform: Platform,
  allowed: readonly AccessKind[],
  offered: readonly AccessKind[],
): string {
  const ways = (allowed.length > 0 ? allowed : offered).flatMap((access) => {
    const way = kindsOf[platform][access];
    return way === undefined ? [] : [way];
  });
  const configure = `to make it work: ${ways.join(", or ")}`;
  return allowed.length > 0 ? configure : `send the type social; ${configure}`;
}
