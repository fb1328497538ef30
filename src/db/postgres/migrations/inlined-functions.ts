/**
 * Inlinable versions of sqlite-functions.ts: the planner cannot inline a STRICT function whose body is not strict, and
 * plans such a function again in each statement.
 */
export const inlinedFunctions = `
  CREATE OR REPLACE FUNCTION min(BIGINT, BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT CASE WHEN $1 <= $2 THEN $1 WHEN $2 < $1 THEN $2 END';
  CREATE OR REPLACE FUNCTION max(BIGINT, BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT CASE WHEN $1 >= $2 THEN $1 WHEN $2 > $1 THEN $2 END';
  CREATE OR REPLACE FUNCTION json_values(list TEXT) RETURNS TABLE(value TEXT) LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT * FROM json_array_elements_text(list::json)';
  CREATE OR REPLACE FUNCTION json_path(path TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT string_to_array(substr(path, 3), '.') $$;
  CREATE OR REPLACE FUNCTION json_text(document TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE document::json #>> json_path(path) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
      ELSE document::json #>> json_path(path) END $$;
`;
