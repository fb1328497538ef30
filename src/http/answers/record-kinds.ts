import type { Method } from "../../platforms/methods.ts";
import type { RecordKind } from "../../remote/protocol/read-record.ts";

const otherKinds: Partial<Record<Method, RecordKind>> = {
  searchbyprofile: "profile",
  getprofilebyid: "profile",
  getretweeters: "profile",
  getfollowing: "profile",
  getfollowers: "profile",
  gettrends: "trend",
  getspace: "space",
};

export const recordKind = (method: Method): RecordKind => otherKinds[method] ?? "post";
