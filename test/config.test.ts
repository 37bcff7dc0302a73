import { describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/config/config-error.ts';

const needed = { DATABASE_URL: 'postgresql://a:b@127.0.0.1:5432/sluice' };

function faultsOf(environment: Record<string, string>): string[] {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.split(':')[0] ?? '');
  }
}

describe('the settings', () => {
  it('have defaults for everything except the database', () => {
    const config = parseConfig(needed);
    expect(config).toMatchObject({
      port: 4000,
      publicUrl: 'http://127.0.0.1:4000',
      rpc: [],
      quoteSeconds: 600,
      balanceTimeoutMs: 5000,
      testClock: 'keys',
    });
    expect(config.webhooks).toEqual({ privateAddresses: false, retentionDays: 90 });
    expect(config.http).toEqual({
      headLimitBytes: 16_384,
      headTimeoutMs: 20_000,
      requestTimeoutMs: 60_000,
      compressionsAtOnce: 8,
    });
    expect(config.database.directUrl).toBe(needed.DATABASE_URL);
    expect(faultsOf({})).toEqual(['DATABASE_URL']);
  });

  it('treat an empty variable as absent', () => {
    expect(parseConfig({ ...needed, PORT: '', PUBLIC_URL: '' }).port).toBe(4000);
  });

  it('name every fault', () => {
    const environment = {
      DATABASE_URL: 'mysql://x',
      PORT: '70000',
      OPERATOR_PRIVATE_KEY: '0x12',
      TRUSTED_PROXIES: '11',
      WEBHOOK_RETENTION_DAYS: '0',
      TEST_CLOCK: 'everybody',
      RPC_URL_1: 'not a url',
      CONFIRMATIONS_1: '0',
      RELAY_MINIMUM_USD_1: '1.234',
    };
    expect(faultsOf(environment).sort()).toEqual(Object.keys(environment).sort());
  });

  it('reject amounts with leading zeros', () => {
    const amounts = { RELAY_MINIMUM_USD_1: '00.50', MAX_FEE_PER_GAS_WEI_1: '01', LOW_BALANCE_WEI_1: '00' };
    const faults = faultsOf({ ...needed, RPC_URL_1: 'http://127.0.0.1:8545', ...amounts });
    expect(faults.sort()).toEqual(Object.keys(amounts).sort());
  });

  it('keep mails for longer than the longest notice of a reminder', () => {
    expect(faultsOf({ ...needed, MAIL_RETENTION_DAYS: '30' })).toEqual(['MAIL_RETENTION_DAYS']);
    expect(parseConfig({ ...needed, MAIL_RETENTION_DAYS: '31' }).mail.retentionDays).toBe(31);
  });

  it('reject fixed prices in production', () => {
    expect(faultsOf({ ...needed, NODE_ENV: 'production', PRICE_SOURCE: 'fixed' })).toEqual(['PRICE_SOURCE']);
    expect(faultsOf({ ...needed, NODE_ENV: 'development', PRICE_SOURCE: 'fixed' })).toEqual([]);
    expect(parseConfig({ ...needed, NODE_ENV: 'production' }).prices).toMatchObject({
      source: 'market',
      staleSeconds: 120,
      disagreementPercent: 1,
    });
  });

  it('enable a chain by its RPC_URL, with fallbacks in order and its own settings', () => {
    const { rpc } = parseConfig({
      ...needed,
      RPC_URL_8453: 'https://one.example, https://two.example',
      RPC_URL_1: 'https://eth.example',
      RPC_WS_URL_1: 'wss://eth.example/ws',
      CONFIRMATIONS_8453: '12',
      START_BLOCK_8453: '1000',
      MAX_FEE_PER_GAS_WEI_8453: '30000000000',
    });
    expect(rpc.map((chain) => chain.chainId)).toEqual([1, 8453]);
    expect(rpc[1]).toMatchObject({
      urls: ['https://one.example', 'https://two.example'],
      confirmations: 12,
      startBlock: 1000n,
      maxFeePerGasWei: 30_000_000_000n,
    });
    expect(rpc.map((chain) => chain.wsUrl)).toEqual(['wss://eth.example/ws', undefined]);
    expect(faultsOf({ ...needed, RPC_URL_1: 'https://x.example', RPC_WS_URL_1: 'https://x.example' })).toEqual([
      'RPC_WS_URL_1',
    ]);
    expect(rpc[0]).toMatchObject({ confirmations: undefined, pollingIntervalMs: 1000, relayMinimumUsd: '0' });
  });

  it('send a node to browsers only if one is configured for them', () => {
    const { rpc, walletConnectProjectId } = parseConfig({
      ...needed,
      RPC_URL_1: 'https://eth.example/secret',
      RPC_URL_10: 'https://op.example/secret',
      PUBLIC_RPC_URL_10: 'https://public.op.example',
      WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16),
    });
    expect(rpc.map((chain) => chain.publicUrl)).toEqual([undefined, 'https://public.op.example']);
    expect(walletConnectProjectId).toBe('ab'.repeat(16));
    const wrong = { RPC_URL_1: 'https://x.example', PUBLIC_RPC_URL_1: 'ftp://x', WALLETCONNECT_PROJECT_ID: 'mine' };
    expect(faultsOf({ ...needed, ...wrong }).sort()).toEqual(['PUBLIC_RPC_URL_1', 'WALLETCONNECT_PROJECT_ID']);
  });

  it('require both secrets of payments on Solana, or neither', () => {
    const secret = { SOLANA_VAULT_SECRET: 'AB'.repeat(32) };
    const key = { SOLANA_OPERATOR_KEY: '2'.repeat(87) };
    expect(faultsOf({ ...needed, ...secret })).toEqual(['SOLANA_OPERATOR_KEY']);
    expect(faultsOf({ ...needed, ...key })).toEqual(['SOLANA_VAULT_SECRET']);
    expect(faultsOf({ ...needed, ...key, SOLANA_VAULT_SECRET: 'ab' })).toEqual(['SOLANA_VAULT_SECRET']);
    expect(parseConfig({ ...needed, ...secret, ...key }).solana.vaultSecret).toBe('ab'.repeat(32));
    expect(parseConfig({ ...needed, RPC_URL_103: 'http://127.0.0.1:8899' }).solana.vaultSecret).toBeUndefined();
    expect(parseConfig(needed).solana.custodialMainnet).toBe(false);
    expect(parseConfig({ ...needed, SOLANA_CUSTODIAL_MAINNET: 'true' }).solana.custodialMainnet).toBe(true);
  });

  it('use a remote signer for the operator’s key, with or without a token', () => {
    const signer = { OPERATOR_SIGNER_URL: 'https://keys.example/operator' };
    const token = { OPERATOR_SIGNER_TOKEN: 'secret' };
    expect(parseConfig(needed).operator.signer).toBeUndefined();
    expect(parseConfig({ ...needed, ...signer, ...token }).operator.signer).toEqual({
      url: signer.OPERATOR_SIGNER_URL,
      token: 'secret',
    });
    expect(faultsOf({ ...needed, OPERATOR_SIGNER_URL: 'keys.example' })).toEqual(['OPERATOR_SIGNER_URL']);
  });

  it('remove a slash at the end of PUBLIC_URL', () => {
    expect(parseConfig({ ...needed, PUBLIC_URL: 'https://pay.example/' }).publicUrl).toBe('https://pay.example');
  });
});
