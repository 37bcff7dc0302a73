import {
  createAssociatedTokenAccountInstruction,
  createInitializeMetadataPointerInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
  TOKEN_2022_PROGRAM_ID,
  tokenMetadataInitializeWithRentTransfer,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { beforeAll, expect, it } from 'vitest';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { openSolana, type TestSolana } from '../../setup/chains/solana.ts';

let solana: TestSolana;
let api: RestApi;

beforeAll(async () => {
  solana = await openSolana();
  api = await openRestApi({ chains: [solana.chain], rpc: { [solana.chainId]: solana.rpcUrl } });
});

const batch = async (items: object[], includePrice = false) => {
  const key = api.merchantA.publishableKey;
  const { status, body } = await api.rest('POST', '/balance/batch', { key, body: { items, includePrice } });
  expect(status).toBe(200);
  return body.data.items;
};

it('reads a coin, a Token and a Token-2022 account from a chain before and after a payment', async () => {
  const [payer] = solana.payers;
  const { usdc, pyusd, chainId } = solana;
  const of = (address: string) => ({ chainId, address });
  const asked = [
    of(payer.address),
    { ...of(payer.address), tokenKey: usdc.key },
    { ...of(payer.address), token: pyusd.mint.toBase58() },
    { ...of(solana.merchant.address), tokenKey: pyusd.key },
  ];
  const lamports = await solana.connection.getBalance(new PublicKey(payer.address));
  const before = await batch(asked);
  expect(before).toMatchObject([
    { ok: true, tokenKey: `SOL-${chainId}`, balance: String(lamports), decimals: 9 },
    { ok: true, tokenKey: usdc.key, token: usdc.mint.toBase58(), balance: '1000000000000', formatted: '1000000' },
    { ok: true, tokenKey: pyusd.key, symbol: 'PYUSD', balance: '1000000000000', formatted: '1000000' },
    { ok: true, tokenKey: pyusd.key, balance: '0', formatted: '0' },
  ]);
  const owner = solana.keypairOf(payer);
  const { mint, program } = pyusd;
  const merchant = new PublicKey(solana.merchant.address);
  const account = getAssociatedTokenAddressSync(mint, merchant, false, program);
  const from = getAssociatedTokenAddressSync(mint, owner.publicKey, false, program);
  await solana.send(
    new Transaction().add(
      createAssociatedTokenAccountInstruction(owner.publicKey, account, merchant, mint, program),
      createTransferCheckedInstruction(from, mint, account, owner.publicKey, 1_250_000n, pyusd.decimals, [], program),
    ),
    [owner],
  );
  const [coin, classic, paid, received] = await batch(asked);
  expect(BigInt(coin.balance)).toBeLessThan(BigInt(lamports));
  expect(classic).toEqual(before[1]);
  expect([paid.balance, received.balance]).toEqual(['999998750000', '1250000']);
});

it('returns the name in the mint for a token that is not registered', async () => {
  const [payer] = solana.payers;
  const owner = solana.keypairOf(payer);
  const mint = await mintNamed('TEA', { authority: owner, decimals: 2 });
  const account = getAssociatedTokenAddressSync(mint, owner.publicKey, false, TOKEN_2022_PROGRAM_ID);
  await solana.send(
    new Transaction().add(
      createAssociatedTokenAccountInstruction(owner.publicKey, account, owner.publicKey, mint, TOKEN_2022_PROGRAM_ID),
      createMintToInstruction(mint, account, owner.publicKey, 1_234n, [], TOKEN_2022_PROGRAM_ID),
    ),
    [owner],
  );
  const item = { chainId: solana.chainId, address: payer.address, token: mint.toBase58() };
  const strange = { ...item, token: Keypair.generate().publicKey.toBase58() };
  const results = await batch([item, strange], true);
  expect(results).toMatchObject([
    { ok: true, tokenKey: null, symbol: 'TEA', decimals: 2, balance: '1234', formatted: '12.34' },
    { ok: false, error: { code: 'NOT_FOUND' } },
  ]);
  expect(results[0]).not.toHaveProperty('price');
});

/** A Token-2022 mint with its metadata in the mint itself. */
async function mintNamed(symbol: string, request: { authority: Keypair; decimals: number }): Promise<PublicKey> {
  const { authority, decimals } = request;
  const mint = Keypair.generate();
  const space = getMintLen([ExtensionType.MetadataPointer]);
  const { publicKey } = authority;
  await solana.send(
    new Transaction().add(
      SystemProgram.createAccount({
        fromPubkey: publicKey,
        newAccountPubkey: mint.publicKey,
        lamports: await solana.connection.getMinimumBalanceForRentExemption(space),
        space,
        programId: TOKEN_2022_PROGRAM_ID,
      }),
      createInitializeMetadataPointerInstruction(mint.publicKey, publicKey, mint.publicKey, TOKEN_2022_PROGRAM_ID),
      createInitializeMint2Instruction(mint.publicKey, decimals, publicKey, null, TOKEN_2022_PROGRAM_ID),
    ),
    [authority, mint],
  );
  await tokenMetadataInitializeWithRentTransfer(
    solana.connection,
    authority,
    mint.publicKey,
    publicKey,
    authority,
    `A token named ${symbol}`,
    symbol,
    'https://example.com/token.json',
  );
  return mint.publicKey;
}
