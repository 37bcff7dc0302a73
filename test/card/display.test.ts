/** The display before signing never fails, is limited in length, and hides nothing. */
import { base64 } from '@scure/base';
import fc from 'fast-check';
import { encodeFunctionData, type Hex, maxUint160, maxUint256, parseAbi, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { describeRequest } from '../../src/card/display/describe-request.ts';
import { readWantedSignature } from '../../src/card/signing/wanted-signature.ts';
import { parseAccountName } from '../../src/chains/account-id.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import { GatewayError } from '../../src/errors.ts';

const registry = loadRegistry({ rpc: [] });
const OWNER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SPENDER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const usdc = registry.chain(1)?.tokens.find((token) => token.symbol === 'USDC')?.address ?? '';
const evm = `eip155:1:${OWNER}`;
const solana = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1:GDfnEsia2WLAW5t8yx2X5j2mkfA74i5kwGdDuZHt7XmG';

async function shown(method: string, params: unknown, name = evm) {
  const account = parseAccountName(name);
  if (!account) throw new Error(name);
  const wanted = readWantedSignature({ method, params, account });
  return await describeRequest({ registry }, { account, clientOrigin: 'https://shop.example', wanted });
}

const message = (text: string) => shown('personal_sign', [text, OWNER]);
const call = (to: string, data: Hex) => shown('eth_sendTransaction', [{ from: OWNER, to, data }]);
const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function setApprovalForAll(address operator, bool approved)',
  'function transfer(address to, uint256 amount)',
]);

describe('a warning', () => {
  test('is shown for unlimited allowances in every form', async () => {
    const unlimited = await call(
      usdc,
      encodeFunctionData({ abi, functionName: 'approve', args: [SPENDER, maxUint256] }),
    );
    expect(unlimited.summary).toBe(`Allow ${SPENDER} to spend an unlimited amount of USDC on Ethereum.`);
    expect(unlimited.warnings[0]).toMatch(/everything that you hold/);
    for (const amount of [maxUint160, 2n ** 128n - 1n, 2n ** 96n - 1n]) {
      const data = encodeFunctionData({ abi, functionName: 'approve', args: [SPENDER, amount] });
      expect((await call(usdc, data)).warnings).toHaveLength(1);
    }
    const limited = await call(
      usdc,
      encodeFunctionData({ abi, functionName: 'approve', args: [SPENDER, 12_500_000n] }),
    );
    expect(limited).toEqual({ summary: `Allow ${SPENDER} to spend 12.5 USDC on Ethereum.`, warnings: [] });
    const all = await call(
      OWNER,
      encodeFunctionData({ abi, functionName: 'setApprovalForAll', args: [SPENDER, true] }),
    );
    expect(all.warnings[0]).toMatch(/every item/);
    const keeper = encodeFunctionData({ abi, functionName: 'approve', args: [OWNER, SPENDER, maxUint160, 1] });
    expect((await call(SPENDER, keeper)).warnings).toHaveLength(1);
    const unknown = await call(OWNER, '0xdeadbeef00');
    expect(unknown.warnings).toEqual(['What this call does cannot be read from its data.']);
  });

  test('is shown for typed data that allow everything, in any spelling', async () => {
    const details = [
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint160' },
      { name: 'nonce', type: 'uint48' },
    ];
    const permit = (amount: string) => ({
      domain: { name: 'Permit2', chainId: 1, verifyingContract: SPENDER },
      types: { Details: details, PermitBatch: [{ name: 'details', type: 'Details[]' }] },
      primaryType: 'PermitBatch',
      message: { details: [{ token: usdc, amount, nonce: '0' }] },
    });
    for (const amount of [maxUint160.toString(), toHex(maxUint160)]) {
      const { summary, warnings } = await shown('eth_signTypedData_v4', [OWNER, permit(amount)]);
      expect(summary).toMatch(/^Sign PermitBatch for Permit2 \(contract 0x3C44/);
      expect(warnings[0]).toMatch(/without limit/);
    }
    expect((await shown('eth_signTypedData_v4', [OWNER, permit('5')])).warnings).not.toContainEqual(
      expect.stringMatching(/without limit/),
    );
    const dai = {
      domain: { name: 'Dai', chainId: 1, verifyingContract: usdc },
      types: {
        Permit: [
          { name: 'holder', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'expiry', type: 'uint256' },
          { name: 'allowed', type: 'bool' },
        ],
      },
      primaryType: 'Permit',
      message: { holder: OWNER, spender: SPENDER, expiry: '0', allowed: true },
    };
    expect((await shown('eth_signTypedData_v4', [OWNER, dai])).warnings[0]).toMatch(/everything that you hold/);
    const noChain = { ...dai, domain: { name: 'Dai', verifyingContract: usdc } };
    expect((await shown('eth_signTypedData_v4', [OWNER, noChain])).warnings.at(-1)).toMatch(/no chain/);
  });

  test('is shown for a login to another site, a forged login, and long or unreadable text', async () => {
    const login = (host: string) =>
      [
        `${host} wants you to sign in with your Ethereum account:`,
        OWNER,
        '',
        `URI: https://${host}`,
        'Version: 1',
        'Chain ID: 1',
        'Nonce: abcdefgh',
        'Issued At: 2026-03-01T12:00:00Z',
      ].join('\n');
    expect(await message(login('shop.example'))).toEqual({
      summary: `Log in to shop.example as ${OWNER}.`,
      warnings: [],
    });
    expect((await message(login('bank.example'))).warnings[0]).toMatch(
      /logs in to bank.example, but shop.example asks/,
    );
    expect((await message(`${login('bank.example')}\nNonce: again`)).warnings).toContainEqual(
      expect.stringMatching(/looks like a login/),
    );
    expect((await message('a'.repeat(300))).warnings[0]).toMatch(/longer than/);
    expect((await message('0x00ff')).warnings[0]).toMatch(/Nobody can read/);
  });
});

test('direction marks and control characters are shown escaped', async () => {
  const { summary } = await message('Pay \u202e001\u202c to\u200b\u2066 me');
  expect(summary).toBe('Sign the message “Pay �001� to�� me”.');
});

const anyText = fc.string({ unit: 'binary', maxLength: 400 });
const anyParams = fc.oneof(
  fc.tuple(fc.constant('personal_sign'), fc.tuple(anyText, fc.constant(OWNER))),
  fc.tuple(
    fc.constant('eth_sendTransaction'),
    fc.tuple(
      fc.record({
        from: fc.constant(OWNER),
        to: fc.constantFrom(OWNER, usdc, null),
        value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => toHex(value)),
        data: fc
          .tuple(fc.constantFrom('0x', '0x095ea7b3', '0xa22cb465', '0x87517c45'), fc.uint8Array({ maxLength: 128 }))
          .map(([selector, rest]) => selector + Buffer.from(rest).toString('hex')),
      }),
    ),
  ),
  fc.tuple(
    fc.constant('eth_signTypedData_v4'),
    fc.tuple(
      fc.constant(OWNER),
      fc.record({
        domain: fc.record({ name: anyText, chainId: fc.constantFrom(1, '1', '0x1') }, { requiredKeys: [] }),
        types: fc.record({
          Permit: fc.array(
            fc.record({
              name: fc.constantFrom('value', 'spender', 'deadline', 'self', 'text'),
              type: fc.constantFrom('uint256', 'int256', 'address', 'string', 'Permit', 'Permit[]', 'bytes', 'uint8[]'),
            }),
            { maxLength: 5 },
          ),
        }),
        primaryType: fc.constantFrom('Permit', 'EIP712Domain', '__proto__'),
        message: fc.dictionary(
          fc.constantFrom('value', 'spender', 'deadline', 'self', 'text'),
          fc.oneof(
            anyText,
            fc.constantFrom('-99999999999999999999999', '0x10', SPENDER),
            fc.jsonValue({ maxDepth: 4 }),
          ),
        ),
      }),
    ),
  ),
);

const bounded = ({ summary, warnings }: { summary: string; warnings: string[] }) => {
  const text = [summary, ...warnings].join('');
  expect(text.length).toBeLessThan(3000);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
};

test('every request is rejected as invalid or displayed within limits', async () => {
  await fc.assert(
    fc.asyncProperty(anyParams, async ([method, params]) => {
      const display = await shown(method, params).catch((error: unknown) => {
        if (error instanceof GatewayError && error.code === 'VALIDATION_ERROR') return null;
        throw error;
      });
      if (display) bounded(display);
    }),
    { numRuns: 500 },
  );
});

test('any bytes of a Solana transaction are displayed within limits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 1232 }), async (bytes) => {
      const wire = Uint8Array.from([1, ...new Uint8Array(64), 1, 0, 0, ...bytes]).slice(0, 1232);
      bounded(await shown('solana_signTransaction', { transaction: base64.encode(wire) }, solana));
    }),
    { numRuns: 200 },
  );
});
