import { control001 } from "./001-control.ts";
import { control002 } from "./002-client-jobs.ts";
import { control003 } from "./003-webhooks.ts";
import { control004 } from "./004-credentials.ts";
import { control005 } from "./005-sign-up.ts";
import { control006 } from "./006-nodes.ts";
import { control007 } from "./007-no-spot-checks.ts";
import { control008 } from "./008-gateways.ts";
import { control009 } from "./009-oauth-grants.ts";
import { control010 } from "./010-key-requests.ts";
import { control011 } from "./011-audit-filters.ts";
import { control012 } from "./012-account-spending.ts";
import { control013 } from "./013-key-request-order.ts";

/** Never change a released migration; append a new one. */
export const controlMigrations: readonly string[] = [
  control001,
  control002,
  control003,
  control004,
  control005,
  control006,
  control007,
  control008,
  control009,
  control010,
  control011,
  control012,
  control013,
];
