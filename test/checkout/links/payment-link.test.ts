import { describe, expect, it } from 'vitest';
import { createLinkSchema, linkPricingFault, paymentUrl } from '../../../src/checkout/links/payment-link.ts';

const link = { name: 'Coffee', slug: 'coffee' };
const accepts = (input: object) => createLinkSchema.safeParse({ ...link, ...input }).success;

describe("a payment link's fields", () => {
  it.each([
    ['name', 255],
    ['description', 2000],
  ])('%s takes %i characters and not one more', (field, limit) => {
    expect(accepts({ [field]: 'x'.repeat(limit) })).toBe(true);
    expect(accepts({ [field]: 'x'.repeat(limit + 1) })).toBe(false);
  });

  it('a slug has 1 to 100 lowercase letters, digits and hyphens', () => {
    const good = ['a', 'a-b', '0', '-a', 'a-', 'a--b', 'x'.repeat(100)];
    expect(good.filter((slug) => accepts({ slug }))).toEqual(good);
    const bad = ['', 'A', 'a b', 'ä', 'a_b', 'a/b', 'a\n', 'x'.repeat(101)];
    expect(bad.filter((slug) => accepts({ slug }))).toEqual([]);
  });

  it('an amount is plain digits, more than zero, with at most 2 decimals', () => {
    expect(['1', '0.01', '999999999999.99'].map((amount) => accepts({ amount }))).toEqual([true, true, true]);
    const bad = ['0', '0.00', '1.001', '-1', '1e3', '1000000000000', ' 1', '1.', '.5', '١'];
    expect(bad.filter((amount) => accepts({ amount }))).toEqual([]);
  });

  it('redirects are http(s)', () => {
    expect(accepts({ successUrl: 'https://shop.example/ok' })).toBe(true);
    expect(['javascript:alert(1)', 'ftp://x.example', 'shop'].filter((successUrl) => accepts({ successUrl }))).toEqual(
      [],
    );
  });

  it('an amount does not stand beside a price', () => {
    const pricing = { amount: '1.00', productPlanId: 'p', productPlanPriceId: 'q' };
    expect(linkPricingFault(pricing)?.param).toBe('amount');
    expect(linkPricingFault({ ...pricing, amount: null })).toBeNull();
    expect(linkPricingFault({ ...pricing, amount: null, productPlanId: null })?.param).toBe('productPlanId');
  });

  it('is found under the payment host', () => {
    expect(paymentUrl('https://pay.example', { slug: 'coffee' })).toBe('https://pay.example/link/coffee');
  });
});
