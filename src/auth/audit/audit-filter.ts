/** Filters for entries of the audit log. */
import { z } from 'zod';
import type { AuditActorKind, Prisma } from '../../../prisma/client.ts';
import { auditActions } from './audit-entry.ts';

const TEXT_LENGTH = 255;

const actionGroups = new Set(auditActions.map((action) => `${action.split('.')[0]}.*`));

function isActionOrGroup(text: string): boolean {
  return actionGroups.has(text) || auditActions.some((action) => action === text);
}

const text = z.string().min(1, 'at least 1 character').max(TEXT_LENGTH, `at most ${TEXT_LENGTH} characters`).nullish();

/** Entries must satisfy all conditions. `action` lists actions or groups such as `api_key.*`; an entry must match one of them. */
export const auditFilterSchema = z
  .object({
    appId: z.string().nullish(),
    action: z
      .array(z.string().refine(isActionOrGroup, 'is neither an action nor a group of actions such as api_key.*'))
      .max(100, 'at most 100 actions')
      .nullish(),
    actorKind: z.enum(['MEMBER', 'API_KEY', 'OPERATOR', 'ARBITER', 'COMMAND_LINE']).nullish(),
    actorId: z.guid('must be a UUID').nullish(),
    targetId: text,
    requestId: text,
    from: z.date().nullish(),
    to: z.date().nullish(),
  })
  .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be later than from' });
export type AuditFilter = z.infer<typeof auditFilterSchema>;

/** Returns the conditions of the filter except `appId`, which is part of the scope. */
export function auditConditions(filter: AuditFilter): Prisma.AuditEntryWhereInput {
  const { action, actorKind, actorId, targetId, requestId, from, to } = filter;
  const time = { ...(from ? { gte: from } : {}), ...(to ? { lt: to } : {}) };
  return {
    ...(action?.length ? { action: { in: action.flatMap(actionsOf) } } : {}),
    ...(actorKind ? { actorKind } : {}),
    ...(actorId ? { actorId } : {}),
    ...(targetId ? { targetId } : {}),
    ...(requestId ? { requestId } : {}),
    ...(from || to ? { createdAt: time } : {}),
  };
}

/** Selects the entries that concern the installation: its own changes, and all changes made by its operators. */
export function installationEntries(): Prisma.AuditEntryWhereInput {
  const operators: AuditActorKind[] = ['OPERATOR', 'ARBITER', 'COMMAND_LINE'];
  return { OR: [{ merchantId: null }, { actorKind: { in: operators } }] };
}

function actionsOf(wanted: string): string[] {
  if (!wanted.endsWith('.*')) return [wanted];
  return auditActions.filter((action) => action.startsWith(wanted.slice(0, -1)));
}
