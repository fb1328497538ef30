import type { ProblemDefinition } from "./definition.ts";

export const conflictProblems = {
  too_many_credentials: {
    status: 409,
    title: "Credential limit reached",
    retryable: false,
    cause:
      "The account has the maximum number of credentials for this platform (`EARSHOT_MAX_CREDENTIALS`). Nothing was stored.",
    fix: [
      "Disconnect a credential first. One for the same account on the platform replaces the existing one.",
    ],
    example: {
      request: "One more X token than the limit allows.",
      detail: "the account has reached its credential limit for the platform",
      hint: "disconnect one first",
    },
  },
  lease_lost: {
    status: 409,
    title: "Lease lost",
    retryable: false,
    hint: "stop working on this job and discard its results",
    cause:
      "A node renewed or completed a job that it no longer leases: the lease expired, the job was cancelled or timed out, or the token is wrong. The answer was dropped.",
    fix: [
      "Stop working on this job and request another.",
      "Renew after a third of the lease time.",
    ],
    example: {
      request: "A node renews a cancelled job.",
      detail: "the lease of job 0f8fad5b-d9cb-469f-a165-70867728950e has ended",
      hint: "drop the work: the job has ended, or another attempt is running it",
    },
  },
  node_not_approved: {
    status: 409,
    title: "Node not approved",
    retryable: false,
    cause: "A node that is pending approval cannot be drained: it gets no work.",
    fix: [
      "Approve or remove it on the Nodes page, or with `earshot nodes approve ID` or `earshot nodes remove ID`.",
    ],
    example: {
      request: "An operator drains a pending node.",
      detail: "node 5d1f0c2ab37e9946 awaits approval",
      hint: "use earshot nodes approve or earshot nodes remove",
    },
  },
  node_removed: {
    status: 409,
    title: "Node removed",
    retryable: false,
    cause: "A removed node can be neither approved nor drained: its key is refused permanently.",
    fix: [
      "To run a node on that machine again, delete `node.key` from its data folder and restart it. It needs approval as a new node.",
    ],
    example: {
      request: "An operator approves a removed node.",
      detail: "node 5d1f0c2ab37e9946 was removed permanently",
      hint: "delete node.key in its data folder and restart it to get a new identity",
    },
  },
  last_operator: {
    status: 409,
    title: "Last operator",
    retryable: false,
    cause:
      "This account is the only operator that can sign in, so it cannot be demoted, suspended or deleted.",
    fix: [
      "Promote another account first, on the Accounts page or with `earshot accounts change NAME --role operator`.",
    ],
    example: {
      request: "The only operator demotes itself to member.",
      detail: "the account is the last operator of this deployment",
      hint: "promote another account first: earshot accounts change NAME --role operator",
    },
  },
  first_key_shown: {
    status: 409,
    title: "First key already shown",
    retryable: false,
    cause:
      "The account's first key was shown before, perhaps in another tab, or the account has created another key. Only a hash is stored.",
    fix: ["Use the key that was shown. If it is lost, create another and revoke the first."],
    example: {
      request: "A second `POST /dashboard/api/keys/first`.",
      detail: "the first key has already been shown",
      hint: "use the key that was shown, or create another",
    },
  },
  key_ended: {
    status: 409,
    title: "Key revoked, expired or replaced",
    retryable: false,
    cause: "A revoked, expired or rotated key cannot be changed or rotated.",
    fix: ["Change the successor, which the hint names, or create a new key."],
    example: {
      request: "`PATCH /dashboard/api/keys/<id>` with a revoked key.",
      detail: "the key is revoked",
      hint: "create another",
    },
  },
  too_many_keys: {
    status: 409,
    title: "Key limit reached",
    retryable: false,
    cause:
      "The account has `EARSHOT_MAX_KEYS_PER_ACCOUNT` keys (revoked, expired and rotated ones do not count), or created `EARSHOT_NEW_KEYS_PER_DAY` within 24 hours, rotations included.",
    fix: [
      "Revoke an unused key, or rotate the one to be replaced.",
      "After the daily limit, the hint says when the next key can be created.",
    ],
    example: {
      request: "A sixth key with a limit of five.",
      detail: "the account already has 5 keys",
      hint: "revoke an unused key, or rotate one",
    },
  },
  too_many_webhooks: {
    status: 409,
    title: "Webhook limit reached",
    retryable: false,
    cause: "The account already has `EARSHOT_MAX_WEBHOOKS` webhooks.",
    fix: ["Delete one first: a single webhook receives all the account's jobs."],
    example: {
      request: "A third webhook with a limit of two.",
      detail: "the account already has 2 webhooks",
      hint: "delete one first; find them at GET /v1/webhooks",
    },
  },
  webhook_disabled: {
    status: 409,
    title: "Webhook disabled",
    retryable: false,
    cause:
      "The webhook is disabled because its receiver answered `410 Gone` or failed for too long; `detail` says which.",
    fix: [
      "Repair the receiver, enable the webhook with `POST /v1/webhooks/:id/enable`, and repeat the request.",
    ],
    example: {
      request: "A test of a webhook whose receiver answered `410 Gone`.",
      detail: "the webhook is disabled: its receiver returned 410 Gone",
      hint: "fix its receiver, then POST /v1/webhooks/wh_4fK2nQ7sVd81LmXzRt0B/enable",
    },
  },
  job_cancelled: {
    status: 410,
    title: "Job cancelled",
    retryable: false,
    hint: "submit the search again if you need its result",
    cause:
      "The job was cancelled with a `DELETE` before it finished. Its status can still be read.",
    fix: ["Submit the search again if its result is needed after all."],
    example: { request: "The result of a cancelled job.", detail: "the job was cancelled" },
  },
  proof_withdrawn: {
    status: 410,
    title: "Proof withdrawn",
    retryable: false,
    cause:
      "A post of the signed result, or its account, was deleted or hidden after signing, and a proof would have to repeat it. The result is still available without it.",
    fix: ["Submit the search again for a newly signed result, and fetch its proof immediately."],
    example: {
      request: "A result of two posts, one of which was deleted later.",
      detail: "1 record has been withdrawn since the node signed the result",
      hint: "submit the search again for a result without the withdrawn records",
    },
  },
  result_expired: {
    status: 410,
    title: "Result expired",
    retryable: false,
    cause:
      "The result is no longer stored (`EARSHOT_RESULT_RETENTION`, 24 hours by default). A repeated search in one call gets this too if its job was deleted.",
    fix: [
      "Submit the search again. Set `end_time` to the earlier submission to cover the same posts.",
      "Fetch results before `expires_at` in the status.",
    ],
    example: {
      request: "The result of a job that finished a day ago.",
      detail: "the result is no longer stored",
      hint: "submit the search again",
    },
  },
} satisfies Record<string, ProblemDefinition>;
