import { type Address, type Hex, hashMessage, isAddress, isHex } from 'viem';
import { type Database, transaction } from '../../../prisma/client.ts';
import { type IssuedToken, issueToken, type TokenWorld } from '../../auth/tokens/issue-token.ts';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { AccountName } from '../../chains/account-id.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import { canonicalSignature, isSignedByKey } from '../../chains/evm/signature.ts';
import type { Registry } from '../../chains/registry.ts';
import type { RpcSettings } from '../../config/config.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { parseSignInMessage, signInFault } from '../sign-in-message.ts';
import { isMessageSigned } from '../signing/is-message-signed.ts';
import { payerAccount } from './payer-account.ts';
import { isOwnNonce } from './payer-challenge.ts';

export type PayerLogin = {
  issued: IssuedToken;
  wallet: string;
  /** Set for a contract wallet: its signature on one chain proves nothing about the same address on another. */
  chainId: number | null;
};

type World = TokenWorld & {
  database: Database;
  registry: Registry;
  nodes: EvmNodes;
  secretKeys: SecretKeys;
  config: { publicUrl: string; rpc: readonly RpcSettings[] };
};

/**
 * Logs in a wallet so that it can see its own payments: accepts the message of `newPayerChallenge` with the wallet's signature
 * (its key, ERC-1271 or ERC-6492) once, and records that the nonce is used. Throws VALIDATION_ERROR for a message that was not
 * issued here, is too old or names another host; AUTHENTICATION_ERROR for a signature that is not the wallet's or a message that
 * was already used; CHAIN_UNAVAILABLE if a contract wallet's chain cannot be queried.
 */
export async function logInPayer(world: World, request: { message: string; signature: string }): Promise<PayerLogin> {
  const now = world.clock.now();
  const { account, nonce } = readChallenge(world, { text: request.message, now });
  const message = new TextEncoder().encode(request.message);
  const { signature } = request;
  const wallet = account.address;
  const isKeys = isAddress(wallet) && isHex(signature) && (await isKeySigned({ wallet, message, signature }));
  if (!isKeys && !(await isMessageSigned(world, { account, message, signature }))) {
    throw new GatewayError('AUTHENTICATION_ERROR', `The signature is not that of ${wallet}.`);
  }
  const chainId = isKeys ? null : account.chainId;
  const used = await transaction(world.database, (tx) =>
    tx.accountProof.createMany({
      data: [{ account: account.caip10, nonce, createdAt: now }],
      skipDuplicates: true,
    }),
  );
  if (used.count === 0)
    throw new GatewayError('AUTHENTICATION_ERROR', 'The message was already used. Request another one.');
  const issued = await issueToken(world, { subject: { audience: 'payer', wallet, chainId } });
  return { issued, wallet, chainId };
}

function readChallenge(
  world: World,
  { text, now }: { text: string; now: Date },
): { account: AccountName; nonce: string } {
  const wrong = (message: string) => invalid([{ param: 'message', message }]);
  const parsed = parseSignInMessage(text);
  if (!parsed || !/^\d{1,10}$/.test(parsed.chainId)) throw wrong('is no sign-in message of this page');
  const account = payerAccount(world, { wallet: parsed.address, chainId: Number(parsed.chainId) });
  const { nonce, issuedAt } = parsed;
  if (!isOwnNonce(world.secretKeys, { account, nonce, issuedAt })) throw wrong('was not asked for here');
  const clientOrigin = world.config.publicUrl;
  const fault = signInFault(parsed, { account, clientOrigin, nonce, now });
  if (fault !== null) throw wrong(fault);
  return { account, nonce };
}

async function isKeySigned(request: { wallet: Address; message: Uint8Array; signature: Hex }): Promise<boolean> {
  if (request.signature.length % 2 !== 0) return false;
  const digest = hashMessage({ raw: request.message });
  return await isSignedByKey({ signer: request.wallet, digest, signature: canonicalSignature(request.signature) });
}
