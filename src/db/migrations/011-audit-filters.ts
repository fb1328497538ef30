export const control011 = `
  CREATE INDEX audit_action ON audit(action, sequence);
  CREATE INDEX audit_actor ON audit(actor, sequence);
  CREATE INDEX audit_time ON audit(at_ms);
`;
