import { type Address, type Hex, hashTypedData } from 'viem';
import { contractAddress, type Token } from '../../../chains/chain.ts';
import { callFault } from '../../../chains/evm/classify-answer.ts';
import type { EvmClient, EvmNodes } from '../../../chains/evm/nodes.ts';
import { canonicalSignature, isSignedOnChain } from '../../../chains/evm/signature.ts';
import {
  authorizationAbi,
  type SignedAuthorization,
  transferCall,
  transferTypedData,
} from '../../../chains/evm/transfer-authorization.ts';
import { LONGEST_VALIDITY_SECONDS, SHORTEST_VALIDITY_SECONDS } from './exact-authorization.ts';

/** The requirements for a payment, and what the payer signed. The amount is in base units. */
export type ExactRequest = {
  token: Token;
  payTo: Address;
  amount: bigint;
  signed: SignedAuthorization;
  signature: Hex;
  /** Base units that other pending authorizations of the payer will move. */
  reserved: bigint;
};

/** The payer's balance in base units and the block at which the nonce was unused, or a reason of x402. */
export type ExactVerdict =
  | { isValid: true; headNumber: bigint; balance: bigint }
  | { isValid: false; reason: string; message: string };

/** Gas that the installation spends at most on one transfer. An account's contract determines how much its signature takes. */
export const MAX_TRANSFER_GAS = 400_000n;

/**
 * Verifies an authorization against the requirements and the newest block: its signature (of a key, or of a deployed account by
 * ERC-1271), its validity, its nonce, the payer's balance, and a simulation of the transfer. Writes nothing. Throws CHAIN_UNAVAILABLE.
 */
export async function verifyExact(
  { nodes, operator }: { nodes: EvmNodes; operator: { address: Address } },
  request: ExactRequest,
): Promise<ExactVerdict> {
  const { token, payTo, amount, signed } = request;
  const typedData = transferTypedData(token, signed);
  if (!typedData) return invalid('eip3009_not_supported', `${token.key} does not support ERC-3009.`);
  if (signed.to.toLowerCase() !== payTo.toLowerCase()) {
    return invalid('recipient_mismatch', `The authorization pays ${signed.to} instead of ${payTo}.`);
  }
  if (signed.value !== amount) {
    return invalid('authorization_value', `The authorization is for ${signed.value} instead of ${amount} base units.`);
  }
  const { chainId } = token;
  const head = await nodes.asking(chainId, (client) => client.getBlock({ blockTag: 'latest' }));
  // Of several nodes, one that is behind would report a nonce as unused that was used below this block.
  const block = { number: head.number, hash: undefined };
  return await nodes.askingOneWith(chainId, block, (client) =>
    verifyOnChain(client, { sender: operator.address, head, request }),
  );
}

type Verification = { sender: Address; head: { number: bigint; timestamp: bigint }; request: ExactRequest };

async function verifyOnChain(client: EvmClient, { sender, head, request }: Verification): Promise<ExactVerdict> {
  const { token, amount, signed, reserved } = request;
  const address = contractAddress(token);
  const signature = canonicalSignature(request.signature);
  const typedData = transferTypedData(token, signed);
  const read = { address, abi: authorizationAbi, blockNumber: head.number } as const;
  const [isUsed, balance] = await Promise.all([
    client.readContract({ ...read, functionName: 'authorizationState', args: [signed.from, signed.nonce] }),
    client.readContract({ ...read, functionName: 'balanceOf', args: [signed.from] }),
  ]);
  const window = windowFault(signed, head.timestamp);
  if (window) return window;
  if (isUsed) {
    return invalid('nonce_already_used', 'The nonce of the authorization is used or canceled on the chain already.');
  }
  const digest = typedData && hashTypedData(typedData);
  if (!digest || !(await isSignedOnChain({ client }, { signer: signed.from, digest, signature }))) {
    return invalid(
      'signature',
      'The signature is not that of the payer for this authorization and this token. An account that is not deployed yet cannot sign.',
    );
  }
  const lacking = balanceFault({ balance, amount, reserved });
  if (lacking) return lacking;
  const fault = await simulate(client, sender, { to: address, data: transferCall(address, signed, signature).data });
  return fault ?? { isValid: true, headNumber: head.number, balance };
}

type Fault = Extract<ExactVerdict, { isValid: false }>;

/** Why a balance does not cover an amount beside what other payments will move, or null. All are in base units. */
export function balanceFault(of: { balance: bigint; amount: bigint; reserved: bigint }): Fault | null {
  const { balance, amount, reserved } = of;
  if (balance >= amount + reserved) return null;
  const reservedNote = reserved === 0n ? '' : `, of which ${reserved} are for payments under way`;
  return invalid('insufficient_balance', `The payer has ${balance} base units${reservedNote}. ${amount} are needed.`);
}

/** Compares the validity with the time of the newest block. */
function windowFault({ validAfter, validBefore }: SignedAuthorization, now: bigint): Fault | null {
  if (validBefore < now + SHORTEST_VALIDITY_SECONDS) {
    const message = `The authorization is valid until ${validBefore}, which is past or less than ${SHORTEST_VALIDITY_SECONDS} seconds after the chain's time ${now}.`;
    return invalid('payload_authorization_valid_before', message);
  }
  if (validBefore > now + LONGEST_VALIDITY_SECONDS) {
    const message = `The authorization is valid for more than ${LONGEST_VALIDITY_SECONDS} seconds. Sign one with an earlier validBefore.`;
    return invalid('payload_authorization_valid_before', message);
  }
  if (validAfter >= now) {
    const message = `The authorization is valid after ${validAfter}, and the chain's time is ${now}.`;
    return invalid('payload_authorization_valid_after', message);
  }
  return null;
}

async function simulate(client: EvmClient, sender: Address, call: { to: Address; data: Hex }): Promise<Fault | null> {
  try {
    const gas = await client.estimateGas({ account: sender, to: call.to, data: call.data });
    if (gas <= MAX_TRANSFER_GAS) return null;
    return invalid(
      'transaction_simulation_failed',
      `The transfer needs ${gas} gas. At most ${MAX_TRANSFER_GAS} is paid.`,
    );
  } catch (error) {
    const fault = callFault(error);
    if (fault === null) throw error;
    // The operator has to fund the sender keys. The authorization is valid.
    if (fault.kind === 'NO_FUNDS') return null;
    return invalid('transaction_simulation_failed', `The token refuses the transfer: ${fault.message}.`);
  }
}

function invalid(reason: string, message: string): Fault {
  return { isValid: false, reason: `invalid_exact_evm_${reason}`, message };
}
