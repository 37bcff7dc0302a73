/** What the shop sells, and how it is paid: automatically captured or held until the merchant settles the payment. */
import { type InitialData, LanguageCode } from '@vendure/core';

export const initialData: InitialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Europe',
  countries: [{ code: 'DE', name: 'Germany', zone: 'Europe' }],
  taxRates: [{ name: 'Standard Tax', percentage: 20 }],
  shippingMethods: [{ name: 'Standard Shipping', price: 500 }],
  paymentMethods: [
    { name: 'Sluice', handler: { code: 'sluice', arguments: [{ name: 'captureMode', value: 'AUTOMATIC' }] } },
    { name: 'Sluice manual', handler: { code: 'sluice', arguments: [{ name: 'captureMode', value: 'MANUAL' }] } },
  ],
  collections: [],
};
