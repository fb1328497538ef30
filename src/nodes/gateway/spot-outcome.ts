/**
 * How two nodes answered the same search: `same`; `explained` where they differ only in what one of them does not hold
 * completely; `different`; `failed` where the second gave no answer.
 */
export type SpotOutcome = "same" | "explained" | "different" | "failed";
