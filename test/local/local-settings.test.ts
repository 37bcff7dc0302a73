import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadRegistry } from '../../src/chains/registry.ts';
import { parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { readDemo, writeDemo } from '../../src/local/demo-file.ts';
import { parseLocalSettings } from '../../src/local/local-settings.ts';
import { localEnvironment } from '../../src/local/set-up/local-environment.ts';
import { isMovable } from '../../src/test-clock/test-clock.ts';
import { onTeardown } from '../setup/teardown.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
onTeardown(async () => rmSync(folder, { recursive: true, force: true }));

test('no setting is required', () => {
  const settings = parseLocalSettings({});
  expect(isAbsolute(settings.folder)).toBe(true);
  expect(settings).toMatchObject({
    isOneProcess: false,
    postgresPort: 25432,
    suiPort: 9000,
    port: 4000,
    databaseUrl: undefined,
    hasOwnChains: false,
  });
  expect(settings.evmPorts).toEqual([
    { chainId: 31337, port: 31337 },
    { chainId: 31338, port: 31338 },
  ]);
});

test('an invalid port is an error that names its setting', () => {
  expect(() => parseLocalSettings({ LOCAL_EVM_PORT_31338: '70000' })).toThrow(ConfigError);
  expect(() => parseLocalSettings({ LOCAL_EVM_PORT_31338: '70000' })).toThrow('LOCAL_EVM_PORT_31338');
});

test('single-process mode is true or false, and another value is an error that names the setting', () => {
  expect(parseLocalSettings({ ONE_PROCESS: 'true' }).isOneProcess).toBe(true);
  expect(parseLocalSettings({ ONE_PROCESS: 'false' }).isOneProcess).toBe(false);
  expect(parseLocalSettings({ ONE_PROCESS: '' }).isOneProcess).toBe(false);
  expect(() => parseLocalSettings({ ONE_PROCESS: 'yes' })).toThrow(ConfigError);
  expect(() => parseLocalSettings({ ONE_PROCESS: 'yes' })).toThrow('ONE_PROCESS');
});

test('configured chains replace the local ones', () => {
  expect(parseLocalSettings({ RPC_URL_1: 'https://node.example' }).hasOwnChains).toBe(true);
  expect(parseLocalSettings({ RPC_URL_1: '' }).hasOwnChains).toBe(false);
});

test('the parts receive a complete configuration with both chains and their tokens', () => {
  const settings = parseLocalSettings({ LOCAL_FOLDER: folder, PORT: '4100' });
  const nodes = settings.evmPorts.map(({ chainId, port }) => ({
    chainId,
    rpcUrl: `http://127.0.0.1:${port}`,
    pid: 1,
    stop: async () => undefined,
    ended: Promise.resolve(),
  }));
  const sui = { url: 'http://127.0.0.1:9000' };
  const environment = localEnvironment(settings, { databaseUrl: 'postgresql://a:b@127.0.0.1:1/c', nodes, sui });
  const config = parseConfig(environment);
  expect(config).toMatchObject({ port: 4100, prices: { source: 'fixed' }, webhooks: { privateAddresses: true } });
  const registry = loadRegistry({ chainsFile: config.chainsFile, rpc: config.rpc });
  const offered = registry.enabled().map((chain) => [chain.confirmations, ...chain.tokens.map((token) => token.key)]);
  expect(offered).toEqual([
    [1, 'USDC-786', 'SUI-786'],
    [1, 'USDC-31337', 'USDT-31337', 'ETH-31337', 'DAI-31337'],
    [1, 'USDC-31338', 'USDT-31338', 'ETH-31338', 'DAI-31338'],
  ]);
  expect(isMovable(registry)).toBe(true);
  const file = join(folder, 'environment');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('RPC_URL_31338=http://127.0.0.1:31338\n');
});

test('the demo file is readable by its owner only, and an incomplete one is ignored', () => {
  const file = join(folder, 'demo.json');
  expect(readDemo(file)).toBeUndefined();
  const urls = { restUrl: 'http://a', graphqlUrl: 'http://a/graphql', cardUrl: 'http://a' };
  const demo = { ...urls, appId: '1', secretKey: 's', publishableKey: 'p', chains: [], payers: [] };
  writeDemo(file, demo);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readDemo(file)).toEqual(demo);
  writeFileSync(file, '{"restUrl":');
  expect(readDemo(file)).toBeUndefined();
});
