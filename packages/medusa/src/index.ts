/** The module provider of `@sluice/medusa`: Medusa's payment module loads the default export by the package's name. */
import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { SluicePaymentProvider } from './sluice-payment-provider.ts';

export type { SluiceProviderOptions } from './provider-options.ts';
export type { SluicePaymentData } from './payment-data.ts';
export { SluicePaymentProvider };

export default ModuleProvider(Modules.PAYMENT, { services: [SluicePaymentProvider] });
