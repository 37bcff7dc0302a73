/** ERC-3009 `transferWithAuthorization`: what the payer signs, the call that anyone may send, and the logs of the token. */
import {
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
  parseSignature,
  size,
  type TypedDataDefinition,
  toEventSelector,
} from 'viem';
import { contractAddress, type Token } from '../chain.ts';
import { authorizationFields, domainFields } from './erc20.ts';

/** What the payer signed. Amounts in base units, instants in Unix seconds. */
export type SignedAuthorization = {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
};

const parameters =
  'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce' as const;

export const authorizationAbi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  `function transferWithAuthorization(${parameters}, uint8 v, bytes32 r, bytes32 s)`,
]);
/** The form of later versions of USDC, which an account's contract needs for a signature that is not of 65 bytes. */
const bytesAbi = parseAbi([`function transferWithAuthorization(${parameters}, bytes signature)`]);

export const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
export const canceledTopic = toEventSelector('AuthorizationCanceled(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

type ReceiptLog = { address: string; logIndex: number | null; topics: readonly Hex[]; data: Hex };

/**
 * Whether the use of an authorization at `logIndex` moved this amount: the next log of the token must be that transfer. A transfer elsewhere
 * in the transaction belongs to something else, so that one transfer never pays for two authorizations.
 */
export function isTransferAfter(
  logs: readonly ReceiptLog[],
  {
    token,
    logIndex,
    from,
    to,
    value,
  }: Pick<SignedAuthorization, 'from' | 'to' | 'value'> & { token: string; logIndex: number },
): boolean {
  const [next] = logs
    .filter((log) => log.address.toLowerCase() === token.toLowerCase() && Number(log.logIndex) > logIndex)
    .toSorted((left, right) => Number(left.logIndex) - Number(right.logIndex));
  if (!next) return false;
  const topics = [transferTopic, pad(from), pad(to)];
  const isSame = topics.every((topic, index) => next.topics[index]?.toLowerCase() === topic.toLowerCase());
  return isSame && next.data.toLowerCase() === numberToHex(value, { size: 32 });
}

/** Null for a token without ERC-3009. */
export function transferTypedData(token: Token, message: SignedAuthorization): TypedDataDefinition | null {
  const { receive: domain, chainId } = token;
  if (!domain) return null;
  return {
    domain: { ...domain, chainId, verifyingContract: contractAddress(token) },
    types: {
      EIP712Domain: domainFields,
      TransferWithAuthorization: authorizationFields,
    },
    primaryType: 'TransferWithAuthorization',
    message,
  };
}

const KEY_SIGNATURE_BYTES = 65;

/** `signature` in its canonical form. */
export function transferCall(token: Address, signed: SignedAuthorization, signature: Hex): { to: Address; data: Hex } {
  const { from, to, value, validAfter, validBefore, nonce } = signed;
  const terms = [from, to, value, validAfter, validBefore, nonce] as const;
  const functionName = 'transferWithAuthorization';
  if (size(signature) !== KEY_SIGNATURE_BYTES) {
    const data = encodeFunctionData({ abi: bytesAbi, functionName, args: [...terms, signature] });
    return { to: token, data };
  }
  const { r, s, yParity } = splitSignature(signature);
  const data = encodeFunctionData({ abi: authorizationAbi, functionName, args: [...terms, 27 + yParity, r, s] });
  return { to: token, data };
}

/** 65 bytes that no key can have made may still be accepted by an account's contract. */
function splitSignature(signature: Hex): { r: Hex; s: Hex; yParity: number } {
  try {
    const { r, s, yParity } = parseSignature(signature);
    return { r, s, yParity };
  } catch {
    const part = (start: number, end: number): Hex => concat([`0x${signature.slice(2 + start * 2, 2 + end * 2)}`]);
    return { r: part(0, 32), s: part(32, 64), yParity: Number(part(64, 65)) - 27 === 1 ? 1 : 0 };
  }
}
