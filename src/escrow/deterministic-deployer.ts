/**
 * The standard deterministic deployer (github.com/Arachnid/deterministic-deployment-proxy), which has this address on almost every chain :
 * calldata is a salt of 32 bytes and the creation code, deployed with CREATE2.
 *
 * Its own transaction has a made-up signature without a chain id, so it is the same everywhere and can only be sent unchanged, once
 * `signer` holds `cost` wei. A chain that refuses transactions without a chain id must have it already.
 */
export const deterministicDeployer = {
  address: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  signer: '0x3fAB184622Dc19b6109349B94811493BF2a45362',
  cost: 10_000_000_000_000_000n,
  transaction:
    '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
  runtimeCode:
    '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
} as const;
