/** The API without GraphQL Mesh, with only the core's schema. It is the baseline for the cost of the gateway. */
import { parseConfig } from '../../src/config/config.ts';
import { runApi } from '../../src/main/run-api.ts';

const running = await runApi(parseConfig(process.env), {
  openGraph: async ({ core }) => ({ schema: core, plugins: [], close: async () => undefined }),
});
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
