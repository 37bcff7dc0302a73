import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { runAll } from '../../src/main/run-all.ts';

const needed = { DATABASE_URL: 'postgres://localhost/none', PRICE_SOURCE: 'fixed' };

it.each([65_534, 65_535])('rejects METRICS_PORT %i, which leaves no room for two more ports', async (port) => {
  const starting = runAll(parseConfig({ ...needed, METRICS_PORT: String(port) }));
  await expect(starting).rejects.toThrow(ConfigError);
  await expect(starting).rejects.toThrow('METRICS_PORT: At most 65533');
});
