/** SQLite's functions under the same names (dialect.ts), except that `json_each` is `json_values`. */
export const sqliteFunctions = `
  CREATE FUNCTION min(BIGINT, BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT least($1, $2)';
  CREATE FUNCTION max(BIGINT, BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT greatest($1, $2)';
  CREATE FUNCTION max(BIGINT, BIGINT, BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT greatest($1, $2, $3)';
  CREATE FUNCTION json_values(list TEXT) RETURNS TABLE(value TEXT) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT * FROM json_array_elements_text(list::json)';
  CREATE FUNCTION json_path(path TEXT) RETURNS TEXT[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT string_to_array(substr(path, 3), '.') $$;
  CREATE FUNCTION json_text(document TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT CASE document::json #>> json_path(path) WHEN 'true' THEN '1' WHEN 'false' THEN '0'
      ELSE document::json #>> json_path(path) END $$;
  CREATE FUNCTION json_array_length(document TEXT, path TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT json_array_length(document::json #> json_path(path))';
`;
