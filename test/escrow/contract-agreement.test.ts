/** What the program hashes, signs and encodes is what the contract on a real chain takes. */
import { type Address, type Hex, hashTypedData, type TypedDataDefinition, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { isSignedByAccount, isSignedOnChain } from '../../src/chains/evm/signature.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import {
  authorizeCall,
  type Call,
  captureCall,
  chargeCall,
  concedeCall,
  disputeCall,
  disputeWithSignatureCall,
  refundCall,
  resolveCall,
  voidCall,
} from '../../src/escrow/calldata.ts';
import {
  chargeIntentId,
  chargeTypedData,
  consentHash,
  consentTypedData,
  type RecurringConsent,
} from '../../src/escrow/consent.ts';
import { disputeTypedData } from '../../src/escrow/dispute-request.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { decodeEscrowLog, parseEscrowEvent } from '../../src/escrow/escrow-event.ts';
import { readEscrowState } from '../../src/escrow/read-escrow-state.ts';
import { type PaymentTerms, termsHash, termsTypedData, uuidToBytes32 } from '../../src/escrow/terms.ts';
import { openEvm, type TestEvm } from '../setup/chains/evm.ts';

let evm: TestEvm;
let place: { chainId: number; escrow: Address };
beforeAll(async () => {
  evm = await openEvm();
  place = { chainId: evm.chainId, escrow: evm.escrow };
});

const DAY = 86_400;

async function newTerms(changes: Partial<PaymentTerms> = {}): Promise<PaymentTerms> {
  const { timestamp } = await evm.publicClient.getBlock();
  const now = Number(timestamp);
  return {
    intentId: uuidToBytes32(crypto.randomUUID()),
    payer: evm.payers[0].address,
    merchant: evm.merchant.address,
    token: zeroAddress,
    amount: 1_000_000n,
    authorizeBy: now + 600,
    captureBy: now + DAY,
    timelock: DAY,
    disputeWindow: DAY,
    disputeTimeout: 30 * DAY,
    timeoutPayerBps: 10_000,
    feeBps: 100,
    feeRecipient: evm.feeRecipient.address,
    operator: evm.operator.address,
    arbiter: evm.arbiter.address,
    quoteHash: `0x${'11'.repeat(32)}`,
    captureOnAuthorize: false,
    ...changes,
  };
}

const signAs = (privateKey: Hex, typed: TypedDataDefinition) => privateKeyToAccount(privateKey).signTypedData(typed);

async function send(privateKey: Hex, call: Call) {
  const hash = await evm.walletFor(privateKey).sendTransaction(call);
  const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  const logs = receipt.logs.filter((log) => log.address.toLowerCase() === evm.escrow.toLowerCase());
  return logs.map((log) => {
    const decoded = decodeEscrowLog(log);
    return decoded && parseEscrowEvent(decoded.kind, JSON.parse(JSON.stringify(decoded.args)));
  });
}

async function authorized(changes: Partial<PaymentTerms> = {}) {
  const terms = await newTerms(changes);
  const operatorSignature = await signAs(evm.operator.privateKey, termsTypedData({ ...place, terms }));
  const events = await send(evm.payers[0].privateKey, authorizeCall({ escrow: evm.escrow, terms, operatorSignature }));
  return { terms, events, id: termsHash(terms) };
}

const stateOf = (id: Hex, blockHash?: Hex) =>
  readEscrowState({ client: evm.publicClient, escrow: evm.escrow }, { id, ...(blockHash ? { blockHash } : {}) });

describe('a payment', () => {
  it('is authorized, captured and refunded, and its events match its state', async () => {
    const { terms, events, id } = await authorized();
    expect(events).toEqual([
      { kind: 'Authorized', id, intentId: terms.intentId, payer: terms.payer, terms, left: 1_000_000n },
    ]);
    const held = await evm.publicClient.getBlock();
    const { escrow } = evm;
    const captured = await send(
      evm.operator.privateKey,
      captureCall({ escrow, terms, amount: 600_000n, expectedLeft: 1_000_000n }),
    );
    expect(captured).toMatchObject([{ kind: 'Captured', captured: 600_000n, returned: 400_000n, left: 600_000n }]);
    const refunded = await send(
      evm.operator.privateKey,
      refundCall({ escrow, terms, amount: 600_000n, expectedLeft: 600_000n }),
    );
    expect(refunded).toMatchObject([{ kind: 'Refunded', amount: 600_000n, left: 0n }]);
    expect(await stateOf(id)).toMatchObject({ status: 'REFUNDED', left: 0n });
    expect(await stateOf(id, held.hash)).toMatchObject({ status: 'AUTHORIZED', left: 1_000_000n, capturedAt: 0 });
    await expect(stateOf(id, `0x${'22'.repeat(32)}`)).rejects.toThrow();
  });

  it('is voided', async () => {
    const { terms, id } = await authorized();
    expect(await send(evm.operator.privateKey, voidCall({ escrow: evm.escrow, terms }))).toMatchObject([
      { kind: 'Voided', id, amount: 1_000_000n, left: 0n },
    ]);
  });

  it("is disputed by the payer's signature, and resolved by the arbiter", async () => {
    const { terms, id } = await authorized({ captureOnAuthorize: true });
    const payerSignature = await signAs(evm.payers[0].privateKey, disputeTypedData({ ...place, id }));
    const { escrow } = evm;
    const disputed = await send(evm.operator.privateKey, disputeWithSignatureCall({ escrow, terms, payerSignature }));
    expect(disputed).toMatchObject([{ kind: 'Disputed', id, left: 1_000_000n }]);
    const resolved = await send(evm.arbiter.privateKey, resolveCall({ escrow, terms, payerBps: 4_000 }));
    expect(resolved).toMatchObject([
      {
        kind: 'Resolved',
        resolution: 'ARBITER',
        payerBps: 4_000,
        payerAmount: 400_000n,
        merchantAmount: 594_000n,
        feeAmount: 6_000n,
      },
    ]);
  });

  it('is disputed by the payer, and conceded', async () => {
    const { terms } = await authorized({ captureOnAuthorize: true });
    await send(evm.payers[0].privateKey, disputeCall({ escrow: evm.escrow, terms }));
    expect(await send(evm.operator.privateKey, concedeCall({ escrow: evm.escrow, terms }))).toMatchObject([
      { kind: 'Resolved', resolution: 'CONCEDED', payerAmount: 1_000_000n },
    ]);
  });
});

describe('a renewal', () => {
  it('is charged by a consent that was signed once', async () => {
    const { escrow } = evm;
    const payer = evm.payers[1];
    const { timestamp } = await evm.publicClient.getBlock();
    const plain = await newTerms({ payer: payer.address, token: evm.usdc.address, captureOnAuthorize: true });
    const consent: RecurringConsent = {
      subscriptionId: uuidToBytes32(crypto.randomUUID()),
      payer: payer.address,
      merchant: plain.merchant,
      token: plain.token,
      capPerPeriod: 2_000_000n,
      start: Number(timestamp),
      unit: 1,
      count: 1,
      end: 0,
      feeBps: plain.feeBps,
      feeRecipient: plain.feeRecipient,
      operator: plain.operator,
      arbiter: plain.arbiter,
      timelock: plain.timelock,
      disputeWindow: plain.disputeWindow,
      disputeTimeout: plain.disputeTimeout,
      timeoutPayerBps: plain.timeoutPayerBps,
    };
    const consentId = consentHash(consent);
    const read = { address: escrow, abi: escrowAbi } as const;
    expect(termsHash(plain)).toBe(
      await evm.publicClient.readContract({ ...read, functionName: 'idOf', args: [plain] }),
    );
    for (const [hash, typed] of [
      [termsHash(plain), termsTypedData({ ...place, terms: plain })],
      [consentId, consentTypedData({ ...place, consent })],
    ] as const) {
      expect(hashTypedData(typed)).toBe(
        await evm.publicClient.readContract({ ...read, functionName: 'digestOf', args: [hash] }),
      );
    }
    expect(consentId).toBe(
      await evm.publicClient.readContract({ ...read, functionName: 'consentIdOf', args: [consent] }),
    );
    expect(chargeIntentId(consentId, 7)).toBe(
      await evm.publicClient.readContract({ ...read, functionName: 'chargeIntentId', args: [consentId, 7] }),
    );
    const approve = { to: evm.usdc.address, data: approveData(escrow, 2_000_000n), value: 0n };
    await evm.publicClient.waitForTransactionReceipt({
      hash: await evm.walletFor(payer.privateKey).sendTransaction(approve),
    });
    const terms = { ...plain, intentId: chargeIntentId(consentId, 0) };
    const id = termsHash(terms);
    const events = await send(
      evm.operator.privateKey,
      chargeCall({
        escrow,
        consent,
        period: 0,
        terms,
        operatorSignature: await signAs(
          evm.operator.privateKey,
          chargeTypedData({ ...place, consentId, period: 0, id }),
        ),
        consentSignature: await signAs(payer.privateKey, consentTypedData({ ...place, consent })),
      }),
    );
    expect(events.map((event) => event?.kind)).toEqual(['Authorized', 'Captured', 'Charged']);
    expect(events[2]).toMatchObject({ consentId, id, period: 0 });
  });
});

describe("an account's signature", () => {
  it('is judged by its key, or by its contract', async () => {
    const rpc = [
      {
        chainId: evm.chainId,
        urls: [evm.rpcUrl],
        confirmations: undefined,
        pollingIntervalMs: 50,
        relayMinimumUsd: '0',
        maxFeePerGasWei: 1n,
        startBlock: undefined,
      },
    ];
    const known = loadRegistry({ rpc: [] });
    const chain = known.chain(1);
    if (!chain) throw new Error('Ethereum is not known.');
    const registry = { ...known, chain: () => ({ ...chain, chainId: evm.chainId }) };
    const client = openEvmNodes({ registry, rpc }).client(evm.chainId);
    const digest: Hex = `0x${'33'.repeat(32)}`;
    const signature = await privateKeyToAccount(evm.payers[0].privateKey).sign({ hash: digest });
    const account = '0x00000000000000000000000000000000000acc02';
    await evm.testClient.setCode({
      address: account,
      bytecode: `0x7f1626ba7e${'00'.repeat(28)}60005260206000f3`,
    });
    for (const isSigned of [isSignedOnChain, isSignedByAccount]) {
      expect(await isSigned({ client }, { signer: evm.payers[0].address, digest, signature })).toBe(true);
      expect(await isSigned({ client }, { signer: evm.payers[1].address, digest, signature })).toBe(false);
      expect(await isSigned({ client }, { signer: account, digest, signature: '0x1234' })).toBe(true);
    }
  });
});
