export type DoctorFinding =
  | { level: "ok"; subject: string; message: string }
  | { level: "warning" | "error"; subject: string; message: string; fix: string };

export const ok = (subject: string, message: string): DoctorFinding => ({
  level: "ok",
  subject,
  message,
});
