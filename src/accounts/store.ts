import type { Store } from "../db/operations.ts";
import type { RandomBytes } from "../lib/base62.ts";
import { auditOperations } from "./admin/audit-operations.ts";
import { changeOperations } from "./admin/change-operations.ts";
import { deletionOperations } from "./admin/deletion-operations.ts";
import { exportOperations } from "./admin/export-operations.ts";
import { listingOperations } from "./admin/listing-operations.ts";
import { nodeAdminOperations } from "./admin/node-operations.ts";
import { accountCredentialOperations } from "./credentials/operations.ts";
import { grantOperations } from "./grants/operations.ts";
import { keyOperations } from "./keys/operations.ts";
import { sessionOperations } from "./sessions/operations.ts";
import { signInOperations } from "./sign-in/operations.ts";
import { usageOperations } from "./usage/operations.ts";

export function accountStoreOperations(randomBytes: RandomBytes) {
  return {
    ...keyOperations(randomBytes),
    ...accountCredentialOperations,
    ...auditOperations,
    ...changeOperations,
    ...deletionOperations,
    ...grantOperations(randomBytes),
    ...exportOperations,
    ...listingOperations,
    ...nodeAdminOperations,
    ...sessionOperations(randomBytes),
    ...signInOperations(randomBytes),
    ...usageOperations,
  };
}

export type AccountStore = Store<ReturnType<typeof accountStoreOperations>>;
