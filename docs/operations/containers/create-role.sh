#!/bin/sh
# Run once by the image of Postgres, as its superuser, when the volume is empty: see "The database" in docs/operations.md.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/database)" --username=postgres <<'SQL'
CREATE ROLE sluice LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE sluice OWNER sluice;
REVOKE ALL ON DATABASE sluice FROM PUBLIC;
SQL
