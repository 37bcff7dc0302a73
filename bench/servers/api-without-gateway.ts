/** The API as it is without GraphQL Mesh: the core's schema alone. What the gateway costs is measured against it. */
import { parseConfig } from '../../src/config/config.ts';
import { runApi } from '../../src/main/run-api.ts';

const running = await runApi(parseConfig(process.env), {
  openGraph: async ({ core }) => ({ schema: core, plugins: [], close: async () => undefined }),
});
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
