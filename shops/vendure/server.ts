/**
 * A Vendure server with the plugin of packages/vendure, on the database of DATABASE_URL. It also runs Vendure's worker. It prints
 * "ready" when both the shop API and the admin API can be called.
 */
import { join } from 'node:path';
import { SluicePlugin } from '@sluice/vendure';
import {
  bootstrap,
  DefaultJobQueuePlugin,
  DefaultLogger,
  DefaultSchedulerPlugin,
  JobQueueService,
  LogLevel,
  type VendureConfig,
} from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';
import { initialData } from './initial-data.ts';

const { PORT, DATABASE_URL, SLUICE_URL, SLUICE_API_KEY, SLUICE_WEBHOOK_SECRET } = process.env;
if (!PORT || !DATABASE_URL || !SLUICE_URL || !SLUICE_API_KEY || !SLUICE_WEBHOOK_SECRET) {
  throw new Error('PORT, DATABASE_URL, SLUICE_URL, SLUICE_API_KEY and SLUICE_WEBHOOK_SECRET are required.');
}

const config: VendureConfig = {
  apiOptions: { port: Number(PORT), hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: 'bearer',
    superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    cookieOptions: { secret: 'test' },
  },
  dbConnectionOptions: { type: 'postgres', url: DATABASE_URL, synchronize: true, logging: false },
  logger: new DefaultLogger({ level: LogLevel.Info }),
  importExportOptions: { importAssetsDir: import.meta.dirname },
  paymentOptions: { paymentMethodHandlers: [] },
  schedulerOptions: { runTasksInWorkerOnly: false },
  plugins: [
    DefaultJobQueuePlugin.init({ pollInterval: 100 }),
    DefaultSchedulerPlugin.init({ manualTriggerCheckInterval: 200 }),
    SluicePlugin.init({
      baseUrl: SLUICE_URL,
      apiKey: SLUICE_API_KEY,
      webhookSecret: SLUICE_WEBHOOK_SECRET,
      successUrl: (order) => `http://127.0.0.1:${PORT}/orders/${order.code}`,
    }),
  ],
};

const server = await populate(() => bootstrap(config), initialData, join(import.meta.dirname, 'products.csv'));
await server.get(JobQueueService).start();
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
console.log('ready');
