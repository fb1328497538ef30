import type { Method } from "../../platforms/methods.ts";

/** What the records of an answer are. */
export type RecordKind = "post" | "profile" | "trend" | "space";

const otherKinds: Partial<Record<Method, RecordKind>> = {
  searchbyprofile: "profile",
  getprofilebyid: "profile",
  getretweeters: "profile",
  getfollowing: "profile",
  getfollowers: "profile",
  gettrends: "trend",
  getspace: "space",
};

/** What the records of a method are. */
export const kindOf = (method: Method): RecordKind => otherKinds[method] ?? "post";
