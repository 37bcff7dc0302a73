/** The filters of the audit log. */
import type { AuditActorKind } from '../../../../../generated/web/documents.ts';

/** Groups of actions, by the first part of their names. */
export const actionGroups = [
  'api_key',
  'app',
  'payout_address',
  'mail_settings',
  'member',
  'payment_intent',
  'deposit',
  'dispute',
  'checkout_session',
  'subscription',
  'invoice',
  'product_plan',
  'product_plan_price',
  'tax_rate',
  'coupon',
  'payment_link',
  'webhook_endpoint',
  'test_clock',
  'transaction',
] as const;
export type ActionGroup = (typeof actionGroups)[number];

export const actorKinds = [
  'MEMBER',
  'API_KEY',
  'OPERATOR',
  'ARBITER',
  'COMMAND_LINE',
] as const satisfies readonly AuditActorKind[];

export type AuditFilters = {
  group: ActionGroup | undefined;
  actorKind: AuditActorKind | undefined;
  /** The app whose entries are shown. Undefined for the whole merchant. */
  appId: string | undefined;
};

/** The filter input of GraphQL. */
export function filterOf({ group, actorKind, appId }: AuditFilters) {
  return {
    action: group === undefined ? null : [`${group}.*`],
    actorKind: actorKind ?? null,
    appId: appId ?? null,
  };
}

/** The URL that exports the same entries. */
export function exportPath({ group, actorKind, appId }: AuditFilters, format: 'csv' | 'ndjson'): string {
  const query = new URLSearchParams({ format });
  if (group !== undefined) query.set('action', `${group}.*`);
  if (actorKind !== undefined) query.set('actorKind', actorKind);
  if (appId !== undefined) query.set('appId', appId);
  return `/audit-log/export?${query}`;
}
