/** The API's messages about fields, in the words of the pages. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appSettingsSchema } from '../../src/auth/app-settings.ts';
import { findSink } from '../../src/chains/payable-address.ts';
import { batchAddress } from '../../src/escrow/batch/batch-bytecode.ts';
import { deterministicDeployer } from '../../src/escrow/deterministic-deployer.ts';
import { firstEditionAddress } from '../../src/escrow/first-edition.ts';
import { limitWords, sinkWords } from '../../web/src/ui/fields/form/field-faults.ts';

describe('the messages of the API about fields', () => {
  it.each([
    ['at least 604800 seconds', 'atLeast', { least: '604800' }],
    ['at most 15552000 seconds', 'atMost', { most: '15552000' }],
    ['604800 seconds exceed the timelock of 86400', 'overPayoutDelay', { most: '86400' }],
    ['at most 1440 hours, which are 60 days', 'atMost', { most: '5184000' }],
    ['at least 1 hour', 'atLeast', { least: '3600' }],
    ['at most 30 days', 'atMost', { most: '2592000' }],
  ])('name a duration in %j in seconds', (message, key, values) =>
    expect(limitWords(message)).toEqual({ key, values, isSpan: true }),
  );

  it.each([
    ['at least 1', 'atLeast'],
    ['at most 20 origins', 'atMostEntries'],
    ['at most 10 steps', 'atMostEntries'],
    ['at least 1 step', 'atLeastOne'],
    ['at least one event type, or *', 'atLeastOne'],
    ['at least 1 character', 'required'],
    ['a mail address', 'email'],
    ['an email address', 'email'],
    ['not an email address', 'email'],
    ['must be a valid e-mail address', 'email'],
    ['is inside a private network', 'privateNetwork'],
    ['exceeds the 12.50 left', 'atMost'],
    ['base58 of 32 bytes', 'solanaAddress'],
  ])('%j is known', (message, key) => expect(limitWords(message)).toMatchObject({ key }));

  it('have a text for every limit of the settings', () => {
    const least = {
      name: '',
      ...{ timelockDuration: -1, disputeTimeout: 1, captureDeadline: 1, intentExpiry: 1, disputeTimeoutPayerBps: -1 },
      ...{ subscriptionCapMultiplier: '0', renewalRetry: { steps: [0] }, supportEmail: 'x', supportUrl: 'x' },
      ...{ websiteUrl: 'https://a@b.example', checkoutHeading: '\u0000', embedOrigins: ['x'] },
    };
    const most = {
      ...{ name: 'x'.repeat(256), timelockDuration: 1e9, transferQuoteDuration: 1e9, usageGraceSeconds: 1e9 },
      ...{ subscriptionGraceDays: 366, renewalRetry: { steps: [1441] }, footerText: 'x'.repeat(501) },
      embedOrigins: Array.from({ length: 21 }, (_, index) => `https://${index}.example`),
    };
    const messages = [least, most].flatMap(
      (input) => appSettingsSchema.safeParse(input).error?.issues.map(({ message }) => message) ?? [],
    );
    expect(messages.length).toBeGreaterThan(18);
    expect(messages.filter((message) => limitWords(message) === null)).toEqual([]);
  });

  it('have a text for every address to which no money may be sent', () => {
    const words = JSON.parse(readFileSync(new URL('../../web/src/words/en/payer.json', import.meta.url), 'utf8'))
      .credits.sink;
    const addresses = {
      EVM: [
        ...[`0x${'0'.repeat(40)}`, `0x${'0'.repeat(39)}1`, `0x42${'0'.repeat(38)}`, `0x${'e'.repeat(40)}`],
        ...[firstEditionAddress, batchAddress, deterministicDeployer.address],
      ],
      SOLANA: ['11111111111111111111111111111111', 'SysvarRent111111111111111111111111111111111'],
      SUI: [`0x${'0'.repeat(64)}`, `0x${'0'.repeat(63)}1`],
    };
    for (const family of ['EVM', 'SOLANA', 'SUI'] as const) {
      for (const address of addresses[family]) {
        const fault = findSink([], { family, address }) ?? '';
        expect(Object.keys(words), fault).toContain(sinkWords(fault)?.kind);
      }
    }
    const values = { symbol: 'USDC', chain: 'Solana' };
    expect(sinkWords('is the mint of USDC on Solana')).toEqual({ kind: 'TOKEN', values });
    expect(sinkWords('is the contract of USDC on Base')?.kind).toBe('TOKEN');
    expect(sinkWords('is the escrow contract on Base')).toEqual({ kind: 'ESCROW', values: { chain: 'Base' } });
  });
});
