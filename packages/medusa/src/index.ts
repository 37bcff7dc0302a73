/** The module provider of `@sluice/medusa`: Medusa's payment module loads the default export by the package's name. */
import type { ModuleProviderExports } from '@medusajs/framework/types';
import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { SluicePaymentProvider } from './sluice-payment-provider.ts';

export type { SluicePaymentData } from './payment-data.ts';
export type { SluiceProviderOptions } from './provider-options.ts';
export { SluicePaymentProvider };

const provider: ModuleProviderExports = ModuleProvider(Modules.PAYMENT, { services: [SluicePaymentProvider] });

export default provider;
