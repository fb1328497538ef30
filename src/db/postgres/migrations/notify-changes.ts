/**
 * For jobs/gateways/other-gateways.ts. A single gateway sends none: each takes a lock that all commits share. A
 * starting gateway may miss commits, so it reads the table again.
 */
export const changeNotifications = `
  CREATE FUNCTION notify_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    own TEXT := coalesce(current_setting('earshot.gateway', true), '');
    job job;
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM gateway WHERE id <> own) THEN RETURN NULL; END IF;
    IF TG_OP = 'DELETE' THEN
      job := OLD;
      IF job.finished_ms < (now_us() / 1000) - 60000 THEN RETURN NULL; END IF;
      job.state := NULL;
    ELSE
      job := NEW;
    END IF;
    PERFORM pg_notify('job_change', json_build_object(
      'gateway', own, 'uuid', job.uuid, 'accountId', job.account_id, 'state', job.state, 'change', job.change,
      'attempts', job.attempts, 'changedMs', job.changed_ms, 'notBeforeMs', job.not_before_ms)::TEXT);
    RETURN NULL;
  END $$;
  CREATE TRIGGER job_submitted AFTER INSERT OR DELETE ON job FOR EACH ROW EXECUTE FUNCTION notify_job_change();
  CREATE TRIGGER job_changed AFTER UPDATE OF state ON job FOR EACH ROW
    EXECUTE FUNCTION notify_job_change();
`;
