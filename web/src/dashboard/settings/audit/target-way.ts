/** The path of an entry's target, below /dashboard. Undefined if it has no page or was deleted. */
export function targetWay(entry: {
  readonly action: string;
  readonly targetType: string;
  readonly targetId?: string | null;
}): string | undefined {
  const { action, targetType, targetId: id } = entry;
  if (!id || action.endsWith('.deleted')) return undefined;
  switch (targetType) {
    case 'PaymentIntent':
      return `/payments/${id}`;
    case 'Subscription':
      return `/subscriptions/${id}`;
    case 'Invoice':
      return `/invoices/${id}`;
    case 'PaymentLink':
      return `/links/${id}`;
    case 'Coupon':
      return '/links/coupons';
    case 'ProductPlan':
      return `/plans/${id}`;
    case 'TaxRate':
      return '/plans/taxes';
    case 'ApiKey':
      return '/developers?tab=keys';
    case 'WebhookEndpoint':
      return '/developers?tab=webhooks';
    case 'Member':
      return '/settings?part=members';
    default:
      return undefined;
  }
}
