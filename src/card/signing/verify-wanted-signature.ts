import { base64 } from '@scure/base';
import { type Hex, hashTypedData, isAddressEqual, isHex, TransactionNotFoundError } from 'viem';
import type { AccountName } from '../../chains/account-id.ts';
import type { EvmClient } from '../../chains/evm/nodes.ts';
import { chainUnavailable } from '../../chains/rpc-call.ts';
import { isDigestSigned, isMessageSigned, type SigningWorld } from './is-message-signed.ts';
import { isSolanaTransactionSigned } from './is-solana-transaction-signed.ts';
import type { EvmTransaction, WantedSignature } from './wanted-signature.ts';

/** A block's time may be slightly before its transactions were sent. */
const BLOCK_TIME_LAG_SECONDS = 30;

/** Why the response does not match the request; null if it does. `txHash` is set if the signature is a transaction's hash. */
export type SignatureVerdict = { fault: string | null; txHash: Hex | null };

/**
 * Verifies a wallet's response. A message or typed data is verified against the account. The hash of a sent transaction is looked
 * up on the chain's node: sender, recipient, value and data must match the request, and the transaction must not have been mined
 * before the request was made, so that an earlier identical payment does not satisfy it. A signed Solana transaction must carry
 * the same message. Throws CHAIN_UNAVAILABLE if a node is needed and does not respond.
 */
export async function verifyWantedSignature(
  world: SigningWorld,
  request: { account: AccountName; wanted: WantedSignature; signature: string; askedAt: Date },
): Promise<SignatureVerdict> {
  const { account, wanted, signature, askedAt } = request;
  switch (wanted.kind) {
    case 'message': {
      const isSigned = await isMessageSigned(world, { account, message: wanted.message, signature });
      return verdictOf(isSigned, "is not the account's signature of this message");
    }
    case 'typedData': {
      const digest = hashTypedData(wanted.typedData);
      return verdictOf(
        await isDigestSigned(world, { account, digest, signature }),
        "is not the account's over this data",
      );
    }
    case 'evmTransaction':
      return verifySent(world, { account, wanted: wanted.transaction, hash: signature, askedAt });
    case 'solanaTransaction': {
      const isSigned = await isSolanaTransactionSigned({
        account,
        wanted: wanted.transaction,
        signed: decoded(signature),
      });
      return verdictOf(isSigned, 'is not this transaction, signed by the account, in base64');
    }
    default:
      return wanted satisfies never;
  }
}

function verdictOf(isGood: boolean, fault: string): SignatureVerdict {
  return { fault: isGood ? null : fault, txHash: null };
}

async function verifySent(
  world: SigningWorld,
  request: { account: AccountName; wanted: EvmTransaction; hash: string; askedAt: Date },
): Promise<SignatureVerdict> {
  const { account, wanted } = request;
  const hash = request.hash.toLowerCase();
  if (!isHex(hash) || hash.length !== 66) return verdictOf(false, 'a transaction hash: 0x and 64 hex digits');
  if (!world.config.rpc.some((node) => node.chainId === account.chainId)) throw chainUnavailable(account.chainId);
  const { sent, minedAt } = await world.nodes.asking(account.chainId, (client) => lookUp(client, hash));
  if (!sent) return verdictOf(false, 'the chain knows no such transaction (yet)');
  const differences = [
    isAddressEqual(sent.from, wanted.from) ? null : 'from',
    isSameReceiver(sent.to, wanted.to) ? null : 'to',
    sent.value === wanted.value ? null : 'value',
    sent.input.toLowerCase() === wanted.data.toLowerCase() ? null : 'data',
  ].filter((field) => field !== null);
  if (differences.length > 0) return verdictOf(false, `the transaction differs in ${differences.join(', ')}`);
  if (minedAt !== null && minedAt < request.askedAt.getTime() / 1000 - BLOCK_TIME_LAG_SECONDS) {
    return verdictOf(false, 'the transaction was sent before it was asked for');
  }
  return { fault: null, txHash: hash };
}

async function lookUp(client: EvmClient, hash: Hex) {
  const sent = await client.getTransaction({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionNotFoundError) return null;
    throw error;
  });
  if (!sent || sent.blockHash === null) return { sent, minedAt: null };
  const block = await client.getBlock({ blockHash: sent.blockHash });
  return { sent, minedAt: Number(block.timestamp) };
}

function isSameReceiver(sent: Hex | null, wanted: Hex | null): boolean {
  if (sent === null || wanted === null) return sent === wanted;
  return isAddressEqual(sent, wanted);
}

function decoded(text: string): Uint8Array {
  try {
    return base64.decode(text);
  } catch {
    return new Uint8Array();
  }
}
