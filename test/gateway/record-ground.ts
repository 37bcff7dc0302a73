/** An API for a chain that the real indexer reads: Ponder, the projector and all handlers. */
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { erc20Abi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createApiKey } from '../../src/auth/create-api-key.ts';
import { permitTypedData, receiveTypedData } from '../../src/chains/evm/erc20.ts';
import { authorizeWithPermitCall, authorizeWithReceiveCall } from '../../src/escrow/calldata.ts';
import { termsTypedData } from '../../src/escrow/terms.ts';
import { runIndexer } from '../../src/facts/run-indexer.ts';
import { localChain } from '../../src/local/local-chains.ts';
import { factTable } from '../../src/main/fact-table.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { openLog, silentLog } from '../../src/platform/log.ts';
import { openGround, type Signed } from '../payments/ground.ts';
import { openApi } from '../setup/api/api.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

export type RecordGround = Awaited<ReturnType<typeof openRecordGround>>;

const CHAIN = 31337;
export const CONFIRMATIONS = 3;
/** Ponder starts slowly on a busy machine. */
const PATIENCE_MS = 400_000;

const noncesAbi = [
  {
    type: 'function',
    name: 'nonces',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const;

export async function openRecordGround() {
  const api = await openApi({
    chains: [localChain(CHAIN)],
    // Nothing here calls a node of the API itself.
    rpc: { [CHAIN]: 'http://127.0.0.1:1' },
    environment: { [`CONFIRMATIONS_${CHAIN}`]: String(CONFIRMATIONS) },
  });
  const ground = await openGround({
    confirmations: CONFIRMATIONS,
    finalityBlocks: 16,
    database: { database: api.database, url: api.databaseUrl },
  });
  const { database, evm, nodes, registry: plain, url } = ground;
  // The chain is not marked as local, so that the projector waits for Ponder and does not read the node instead.
  const chain = (chainId: number) => {
    const found = plain.chain(chainId);
    return found && { ...found, local: false };
  };
  const registry = { ...plain, chain };
  const log = process.env.SLUICE_TEST_LOG ? openLog({ level: 'debug', part: 'indexer' }) : silentLog;
  const listener = openListener({ url, log });
  onTeardown(() => listener.close());
  const indexer = await runIndexer({
    config: {
      database: { url, directUrl: url, poolSize: 5 },
      ponder: { port: await freePort(), schema: 'ponder' },
      rpc: [evm.rpcSettings],
    },
    registry,
    nodes,
    database,
    clock: systemClock,
    log,
    listener,
    handlers: factTable({ database, registry, nodes, clock: systemClock, log }),
    patienceMs: 3_600_000,
  });
  let stopped: Promise<void> | undefined;
  const stopIndexer = () => {
    stopped ??= indexer.stop();
    return stopped;
  };
  onTeardown(stopIndexer);
  const app = await database.app.findUniqueOrThrow({ where: { id: ground.app.id } });
  const scope = { merchantId: app.merchantId, appId: app.id };
  const { secret: key } = await createApiKey(api.world, { scope, kind: 'SECRET' });
  const payer = (signed: Signed) => {
    const found = evm.payers.find(({ address }) => address === signed.terms.payer);
    if (!found) throw new Error('No such payer.');
    return privateKeyToAccount(found.privateKey);
  };
  const token = { name: 'USD Coin', version: '2', chainId: CHAIN, token: evm.usdc.address };
  return {
    ...ground,
    api,
    key,
    stopIndexer,
    graphql: (document: string, variables: Record<string, unknown> = {}) => api.graphql(document, variables, { key }),
    /** Relays the payment with an EIP-2612 permit, and returns the transaction's hash. */
    async payByPermit(signed: Signed): Promise<Hex> {
      const account = payer(signed);
      const place = { chainId: CHAIN, escrow: evm.escrow, terms: signed.terms };
      const deadline = signed.terms.authorizeBy;
      const nonce = await evm.publicClient.readContract({
        address: evm.usdc.address,
        abi: noncesAbi,
        functionName: 'nonces',
        args: [account.address],
      });
      const permit = { owner: account.address, spender: evm.escrow, value: signed.terms.amount, nonce, deadline };
      return await ground.send(
        evm.operator,
        authorizeWithPermitCall({
          escrow: evm.escrow,
          ...signed,
          payerSignature: await account.signTypedData(termsTypedData(place)),
          permitDeadline: deadline,
          permitSignature: await account.signTypedData(permitTypedData({ ...token, ...permit })),
        }),
      );
    },
    /** Relays the payment with an ERC-3009 authorization, and returns the transaction's hash. */
    async payByAuthorization(signed: Signed): Promise<Hex> {
      const account = payer(signed);
      const validBefore = signed.terms.authorizeBy;
      const receive = {
        from: account.address,
        to: evm.escrow,
        value: signed.terms.amount,
        validBefore,
        nonce: signed.id,
      };
      const receiveSignature = await account.signTypedData(receiveTypedData({ ...token, ...receive }));
      return await ground.send(
        evm.operator,
        authorizeWithReceiveCall({ escrow: evm.escrow, ...signed, validBefore, receiveSignature }),
      );
    },
    async approve(from: { privateKey: Hex }, amount: bigint): Promise<Hex> {
      const hash = await evm.walletFor(from.privateKey).writeContract({
        address: evm.usdc.address,
        abi: erc20Abi,
        functionName: 'approve',
        args: [evm.escrow, amount],
      });
      await evm.publicClient.waitForTransactionReceipt({ hash });
      return hash;
    },
  };
}

/** The result of `read` as soon as it `holds`. */
export async function eventually<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > deadline) throw new Error(`Still ${inspect(value, { depth: 6 })}.`);
    await delay(100);
  }
}
