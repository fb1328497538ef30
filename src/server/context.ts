import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { Upstream } from "../platforms/upstream.ts";
import type { Platform } from "../posts/post.ts";
import type { Config } from "./config.ts";
import { type Accounts, makeAccounts } from "./layers/accounts.ts";
import { type Base, makeBase } from "./layers/base.ts";
import { type Http, makeHttp } from "./layers/http.ts";
import { type Jobs, makeJobs } from "./layers/jobs.ts";
import { makeNodes, type Nodes } from "./layers/nodes.ts";
import { makeRouting, type Routing } from "./layers/routing.ts";
import { makeSearch, type Search } from "./layers/search.ts";
import { makeSweeps, type Sweeps } from "./layers/sweeps.ts";
import { closeStores, type Stores } from "./stores.ts";

export type AppContext = Base &
  Accounts &
  Search &
  Routing &
  Jobs &
  Http & {
    readonly nodes: Nodes;
    readonly sweeps: Sweeps;
    close(): Promise<void>;
  };

export type ContextOverrides = {
  clock?: Clock;
  log?: Logger;
  upstreams?: Partial<Record<Platform, Upstream>>;
};

/**
 * Each layer uses only the layers above it, and reports to later ones by events
 * (service-events.ts). Errors: those of `openNodeTrust`.
 */
export function createContext(
  config: Config,
  stores: Stores,
  overrides: ContextOverrides,
): AppContext {
  const base = makeBase(config, stores, overrides);
  const accounts = makeAccounts(base);
  const search = makeSearch(base, overrides.upstreams);
  const routing = makeRouting(base, search);
  const jobs = makeJobs(base, search, routing);
  const nodes = makeNodes(base, routing, jobs);
  const http = makeHttp({ ...base, ...accounts, ...search, ...routing, ...jobs, nodes });
  const sweeps = makeSweeps(base, search);
  const close = async (): Promise<void> => {
    await accounts.closeSignIn();
    await closeStores(stores);
  };
  return { ...base, ...accounts, ...search, ...routing, ...jobs, ...http, nodes, sweeps, close };
}
