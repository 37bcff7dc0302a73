/** The server's configuration, as a merchant writes it. Each provider of the test has options of its own. */
import { defineConfig, Modules } from '@medusajs/framework/utils';

const { DATABASE_URL, SLUICE_URL, SLUICE_API_KEY, SLUICE_WEBHOOK_SECRET, STOREFRONT_URL } = process.env;

const provider = (id, options) => ({
  resolve: '@sluice/medusa',
  id,
  options: {
    baseUrl: SLUICE_URL,
    apiKey: SLUICE_API_KEY,
    webhookSecret: SLUICE_WEBHOOK_SECRET,
    successUrl: `${STOREFRONT_URL}/paid`,
    cancelUrl: `${STOREFRONT_URL}/cart`,
    ...options,
  },
});

export default defineConfig({
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: STOREFRONT_URL,
      adminCors: STOREFRONT_URL,
      authCors: STOREFRONT_URL,
      jwtSecret: 'a secret of this test',
      cookieSecret: 'a secret of this test',
    },
  },
  admin: { disable: true },
  modules: {
    [Modules.PAYMENT]: {
      resolve: '@medusajs/medusa/payment',
      options: {
        webhook_delay: 500,
        providers: [provider('held', { captureMode: 'MANUAL' }), provider('direct', { captureMode: 'AUTOMATIC' })],
      },
    },
  },
});
