import type { Method } from "../../platforms/methods.ts";
import type { RecordKind } from "../../remote/protocol/read-record.ts";

export type PostRecord = {
  ID: string;
  Content: string;
  Metadata: Readonly<Record<string, unknown>> | null;
  Score: number;
};

export function metadataText({ Metadata }: PostRecord, name: string): string | null {
  const value = Metadata?.[name];
  return typeof value === "string" ? value : null;
}

const otherKinds: Partial<Record<Method, RecordKind>> = {
  searchbyprofile: "profile",
  getprofilebyid: "profile",
  getretweeters: "profile",
  getfollowing: "profile",
  getfollowers: "profile",
  gettrends: "trend",
  getspace: "space",
};

export const methodRecordKind = (method: Method): RecordKind => otherKinds[method] ?? "post";
