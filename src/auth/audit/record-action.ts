import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { newId } from '../../platform/identifier.ts';
import { type Actor, presentActing } from './acting.ts';
import { type AuditAction, type AuditTarget, auditJson, type changedFields } from './audit-entry.ts';

const USER_AGENT_LENGTH = 500;

export type AuditRecord = {
  action: AuditAction;
  /** The owner of the log: an app and its merchant, a merchant, the actor's merchant, or the installation. */
  owner: { appId: string } | { merchantId: string } | 'ACTOR' | 'INSTALLATION';
  target: { type: AuditTarget; id: string | null };
  /** The previous values of the fields that changed. Never a secret. */
  before?: Record<string, unknown> | undefined;
  after?: Record<string, unknown> | undefined;
  /** Overrides the current actor if the action itself identifies the actor, as a login does. */
  actor?: Actor;
};

/**
 * Writes an audit entry for the current actor in the transaction of the change. Writes nothing if there is no actor whose actions are
 * recorded, as in a job or for a payer.
 */
export async function recordAction(tx: DatabaseTransaction, record: AuditRecord): Promise<void> {
  const acting = presentActing();
  const actor = record.actor ?? acting?.actor;
  if (!acting || !actor) return;
  const { merchantId, appId } = ownerOf(record, actor);
  const [before, after] = [record.before, record.after].map((fields) => (fields ? auditJson(fields) : null));
  await tx.$executeRaw`
    INSERT INTO audit_entry (id, merchant_id, app_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
      before, after, address, user_agent, request_id)
    VALUES (${newId()}::uuid,
      coalesce(${merchantId}::uuid, (SELECT merchant_id FROM app WHERE id = ${appId}::uuid)),
      ${appId}::uuid, ${actor.kind}::audit_actor_kind, ${actor.id}::uuid,
      coalesce(${actor.name ?? null}::text,
        (SELECT email FROM member WHERE id = ${actor.id}::uuid),
        (SELECT prefix FROM api_key WHERE id = ${actor.id}::uuid),
        (SELECT name FROM platform_credential WHERE id = ${actor.id}::uuid), ''),
      ${record.action}, ${record.target.type}, ${record.target.id}, ${before}::jsonb, ${after}::jsonb,
      ${acting.address}, ${acting.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null}, ${acting.requestId})`;
}

/** Does the same as `recordAction` if anything changed, and nothing otherwise. */
export async function recordChange(
  tx: DatabaseTransaction,
  record: Omit<AuditRecord, 'before' | 'after'> & { changed: ReturnType<typeof changedFields> },
): Promise<void> {
  const { changed, ...rest } = record;
  if (changed) await recordAction(tx, { ...rest, ...changed });
}

function ownerOf({ owner }: AuditRecord, actor: Actor): { merchantId: string | null; appId: string | null } {
  if (owner === 'INSTALLATION') return { merchantId: null, appId: null };
  if (owner === 'ACTOR') return { merchantId: actor.merchantId, appId: actor.appId };
  return 'appId' in owner ? { merchantId: null, appId: owner.appId } : { merchantId: owner.merchantId, appId: null };
}
