/** Calls of ERC-20 tokens, and what their owners sign: EIP-2612 permits and ERC-3009 authorizations. */
import { type Address, encodeFunctionData, type Hex, parseSignature, type TypedDataDefinition } from 'viem';

export const erc20Abi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'allowance',
    stateMutability: 'view',
    inputs: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
    ],
    outputs: [{ type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'nonces',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'approve',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'spender', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [],
  },
  {
    type: 'function',
    name: 'permit',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
      { name: 'v', type: 'uint8' },
      { name: 'r', type: 'bytes32' },
      { name: 's', type: 'bytes32' },
    ],
    outputs: [],
  },
] as const;

/** The token's own EIP-712 domain. */
export type TokenDomain = { name: string; version: string; chainId: number; token: Address };

export const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/** The fields that the payer signs by ERC-3009, to transfer or to be received from. */
export const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

export function approveData(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });
}

/** The call that submits a permit to its token. Anyone may send it. `signature` is a key's signature of 65 bytes. */
export function permitData(request: {
  owner: Address;
  spender: Address;
  value: bigint;
  deadline: number;
  signature: Hex;
}): Hex {
  const { r, s, yParity } = parseSignature(request.signature);
  const { owner, spender, value } = request;
  const args = [owner, spender, value, BigInt(request.deadline), 27 + yParity, r, s] as const;
  return encodeFunctionData({ abi: erc20Abi, functionName: 'permit', args });
}

/** EIP-2612. `deadline` in unix seconds. */
export function permitTypedData(
  request: TokenDomain & { owner: Address; spender: Address; value: bigint; nonce: bigint; deadline: number },
): TypedDataDefinition {
  const { owner, spender, value, nonce } = request;
  return {
    domain: domainOf(request),
    types: {
      EIP712Domain: domainFields,
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner, spender, value, nonce, deadline: BigInt(request.deadline) },
  };
}

/** ERC-3009 receiveWithAuthorization, valid from the start. `validBefore` in unix seconds, exclusive. */
export function receiveTypedData(
  request: TokenDomain & { from: Address; to: Address; value: bigint; validBefore: number; nonce: Hex },
): TypedDataDefinition {
  const { from, to, value, nonce } = request;
  return {
    domain: domainOf(request),
    types: {
      EIP712Domain: domainFields,
      ReceiveWithAuthorization: authorizationFields,
    },
    primaryType: 'ReceiveWithAuthorization',
    message: { from, to, value, validAfter: 0n, validBefore: BigInt(request.validBefore), nonce },
  };
}

function domainOf({ name, version, chainId, token }: TokenDomain) {
  return { name, version, chainId, verifyingContract: token };
}
