/** A small Solana node that serves accounts from memory over the JSON-RPC methods that the real library calls. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AccountLayout,
  AccountState,
  getAssociatedTokenAddressSync,
  MintLayout,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { onTeardown } from '../teardown.ts';

type Account = { lamports: number; owner: PublicKey; data: Buffer };

const METAPLEX = new PublicKey('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const RENT = 2_039_280;

export async function openSolanaAccounts() {
  const accounts = new Map<string, Account>();
  const requests: { method: string; accounts: number }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text);
      requests.push({ method, accounts: params?.[0]?.length ?? 0 });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) }));
    });
  });
  const answer = (method: string, params: unknown[]) => {
    const keys = Array.isArray(params[0]) ? params[0].map(String) : [];
    if (method !== 'getMultipleAccounts') return { error: { code: -32601, message: 'Method not found' } };
    if (keys.length > 100) return { error: { code: -32602, message: 'Too many inputs provided; max 100' } };
    return {
      result: { context: { slot: 7, apiVersion: '2.0.0' }, value: keys.map((key) => print(accounts.get(key))) },
    };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const put = (key: PublicKey, account: Account) => accounts.set(key.toBase58(), account);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setStatus: (next: number) => {
      status = next;
    },
    setLamports: (owner: string, lamports: number) =>
      put(new PublicKey(owner), { lamports, owner: SystemProgram.programId, data: Buffer.alloc(0) }),
    putMint(mint: string, settings: { decimals: number; extended?: boolean; symbol?: string }) {
      const key = new PublicKey(mint);
      const program = settings.extended ? TOKEN_2022_PROGRAM_ID : TOKEN_PROGRAM_ID;
      put(key, { lamports: RENT, owner: program, data: mintData(settings.decimals) });
      if (settings.symbol === undefined) return;
      const seeds = [Buffer.from('metadata'), METAPLEX.toBuffer(), key.toBuffer()];
      const [metadata] = PublicKey.findProgramAddressSync(seeds, METAPLEX);
      const texts = [Buffer.alloc(32, 'A name'), Buffer.concat([Buffer.from(settings.symbol), Buffer.alloc(4)])];
      const data = Buffer.concat([Buffer.alloc(65), ...texts.flatMap((one) => [length(one), one]), Buffer.alloc(100)]);
      put(metadata, { lamports: RENT, owner: METAPLEX, data });
    },
    setTokens(owner: string, mint: string, amount: bigint, extended = false) {
      const program = extended ? TOKEN_2022_PROGRAM_ID : TOKEN_PROGRAM_ID;
      const [ownerKey, mintKey] = [new PublicKey(owner), new PublicKey(mint)];
      const address = getAssociatedTokenAddressSync(mintKey, ownerKey, true, program);
      put(address, { lamports: RENT, owner: program, data: accountData(mintKey, ownerKey, amount) });
    },
  };
}

function mintData(decimals: number): Buffer {
  const data = Buffer.alloc(MintLayout.span);
  const nobody = PublicKey.default;
  MintLayout.encode(
    {
      mintAuthorityOption: 0,
      mintAuthority: nobody,
      supply: 1_000_000n,
      decimals,
      isInitialized: true,
      freezeAuthorityOption: 0,
      freezeAuthority: nobody,
    },
    data,
  );
  return data;
}

function accountData(mint: PublicKey, owner: PublicKey, amount: bigint): Buffer {
  const data = Buffer.alloc(AccountLayout.span);
  const nobody = PublicKey.default;
  AccountLayout.encode(
    {
      mint,
      owner,
      amount,
      delegateOption: 0,
      delegate: nobody,
      state: AccountState.Initialized,
      isNativeOption: 0,
      isNative: 0n,
      delegatedAmount: 0n,
      closeAuthorityOption: 0,
      closeAuthority: nobody,
    },
    data,
  );
  return data;
}

function length(bytes: Buffer): Buffer {
  const four = Buffer.alloc(4);
  four.writeUInt32LE(bytes.length);
  return four;
}

function print(account: Account | undefined) {
  if (!account) return null;
  const { lamports, owner, data } = account;
  return {
    lamports,
    owner: owner.toBase58(),
    data: [data.toString('base64'), 'base64'],
    executable: false,
    rentEpoch: 0,
    space: data.length,
  };
}
