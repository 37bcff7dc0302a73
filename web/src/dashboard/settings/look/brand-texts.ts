/** The merchant's own texts, with the limits of the API. */
export const texts = [
  { name: 'checkoutHeading', most: 80 },
  { name: 'checkoutMessage', most: 300 },
  { name: 'receiptMessage', most: 300 },
  { name: 'footerText', most: 500 },
] as const;

export type BrandTexts = Record<(typeof texts)[number]['name'], string>;
