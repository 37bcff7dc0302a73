-- Processes remember credentials for reads (docs/decisions/0086). Every change of one is announced, whoever makes it and by
-- whatever statement: the notification reaches every process that listens as soon as the change is committed, and the INFO
-- message reaches the connection that makes the change, so that its process forgets what it remembers before it answers.
-- Postgres sends INFO to clients whatever client_min_messages is. An insert needs no announcement, because nothing is
-- remembered about a credential that is unknown.
CREATE FUNCTION announce_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sluice_credentials', TG_TABLE_NAME);
  RAISE INFO USING ERRCODE = 'SLC01', MESSAGE = 'A credential has changed: ' || TG_TABLE_NAME || '.';
  RETURN NULL;
END
$$;

CREATE TRIGGER announce_credential_change AFTER UPDATE ON "api_key" FOR EACH ROW
  WHEN ((OLD.id, OLD.app_id, OLD.kind, OLD.key_hash, OLD.is_restricted, OLD.scopes, OLD.allowed_networks, OLD.expires_at, OLD.revoked_at)
    IS DISTINCT FROM
    (NEW.id, NEW.app_id, NEW.kind, NEW.key_hash, NEW.is_restricted, NEW.scopes, NEW.allowed_networks, NEW.expires_at, NEW.revoked_at))
  EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "app" FOR EACH ROW
  WHEN ((OLD.id, OLD.merchant_id, OLD.mode) IS DISTINCT FROM (NEW.id, NEW.merchant_id, NEW.mode))
  EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "member" FOR EACH ROW
  WHEN ((OLD.id, OLD.merchant_id, OLD.role, OLD.removed_at, OLD.is_operator)
    IS DISTINCT FROM (NEW.id, NEW.merchant_id, NEW.role, NEW.removed_at, NEW.is_operator))
  EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "member_session" FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "card_session" FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "platform_credential" FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "checkout_session" FOR EACH ROW
  WHEN ((OLD.id, OLD.app_id, OLD.client_secret_hash) IS DISTINCT FROM (NEW.id, NEW.app_id, NEW.client_secret_hash))
  EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_change AFTER UPDATE ON "signing_key" FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION announce_credential_change();

-- Once a statement: expired logins are deleted in batches.
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "api_key" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "app" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "member" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "member_session" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "card_session" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "platform_credential" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "checkout_session" EXECUTE FUNCTION announce_credential_change();
CREATE TRIGGER announce_credential_end AFTER DELETE OR TRUNCATE ON "signing_key" EXECUTE FUNCTION announce_credential_change();
