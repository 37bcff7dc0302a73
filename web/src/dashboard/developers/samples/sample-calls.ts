/** Sample calls for developers to copy, each with the same placeholder for the key. */

const SECRET_KEY = 'YOUR_SECRET_KEY';

type Sample = { path: string; body: object };

/** The resource that each sample creates. `appId` is set only if the API requires it. */
export const samples = {
  payment: () => ({ path: '/payments/intents', body: { amount: '12.50', currency: 'USD' } }),
  checkout: () => ({ path: '/checkout-sessions', body: { items: [{ name: 'Coffee', amount: '4.50' }] } }),
  link: (appId) => ({ path: '/payment-links', body: { appId, name: 'Coffee', slug: 'coffee', amount: '4.50' } }),
  plan: () => ({
    path: '/product-plans',
    body: { name: 'Gold', planType: 'SUBSCRIPTION', prices: [{ amount: '10', billingInterval: 'MONTH' }] },
  }),
  coupon: (appId) => ({ path: '/coupons', body: { appId, name: 'Spring', code: 'SPRING', percentOffBps: 1500 } }),
  taxRate: () => ({
    path: '/tax-rates',
    body: { displayName: 'VAT', percentage: 19, inclusive: true, jurisdiction: 'DE' },
  }),
  webhook: (appId) => ({
    path: `/apps/${appId}/webhooks`,
    body: { url: 'https://your.shop/webhooks', events: ['*'] },
  }),
} as const satisfies Record<string, (appId: string) => Sample>;

export type SampleName = keyof typeof samples;
export const sampleNames = Object.keys(samples) as SampleName[];

export function curlOf(name: SampleName, { appId, origin }: { appId: string; origin: string }): string {
  const { path, body } = samples[name](appId);
  return [
    `curl -X POST ${origin}${path}`,
    `  -H 'x-api-key: ${SECRET_KEY}'`,
    "  -H 'content-type: application/json'",
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n');
}
