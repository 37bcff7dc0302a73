/** Valid values for fields and arguments whose type alone is not specific enough, by the type and the name. */
const EVM_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SOLANA_ADDRESS = 'GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW';
const SUI_ADDRESS = `0x${'a11ce'.padStart(64, '0')}`;
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const MESSAGE = '0x48656c6c6f';

export const CLIENT_ORIGIN = 'https://shop.example';

/** Valid input for `startOnetimeRequest`. */
export const onetimeRequest = {
  clientOrigin: CLIENT_ORIGIN,
  chainId: 'eip155:31337',
  account: EVM_ADDRESS,
  method: 'personal_sign',
  params: [MESSAGE, EVM_ADDRESS],
};

const texts: Record<string, readonly unknown[]> = {
  account: [EVM_ADDRESS, SOLANA_ADDRESS, SUI_ADDRESS, `eip155:31337:${EVM_ADDRESS}`, `${DEVNET}:${SOLANA_ADDRESS}`],
  address: [EVM_ADDRESS, SOLANA_ADDRESS, SUI_ADDRESS],
  chainId: ['eip155:31337', 'eip155:1', DEVNET, 'sui:devnet'],
  clientOrigin: [CLIENT_ORIGIN, 'http://localhost:3000', 'https://shop.example/path'],
  code: ['000000', '123456', '١٢٣٤٥٦'],
  currency: ['USD', 'EUR', 'GBP'],
  email: ['ada@example.com', 'Ada+1@Example.COM', 'ada@xn--bcher-kva.example', 'a@b'],
  message: [`shop.example wants you to sign in with your Ethereum account:\n${EVM_ADDRESS}\n\n\nURI: ${CLIENT_ORIGIN}`],
  method: ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction', 'eth_sign', 'solana_signMessage'],
  signature: [`0x${'ab'.repeat(65)}`, '0x', '1'.repeat(88)],
  token: ['native', EVM_ADDRESS, SOLANA_ADDRESS, '0x2::sui::SUI'],
  tokenKey: ['USDC-31337', 'ETH-31337', 'USDC-103', 'SUI-785', 'NOPE-1'],
};

export const fittingValues: Record<string, Record<string, readonly unknown[]>> = {
  String: texts,
  Int: { chainId: [31337, 31338, 103, 785] },
  JSON: {
    params: [
      [MESSAGE, EVM_ADDRESS],
      [EVM_ADDRESS, { types: {}, domain: {}, primaryType: 'Mail', message: {} }],
      [{ from: EVM_ADDRESS, to: EVM_ADDRESS, value: '0x1' }],
      { message: '3yZe7d', pubkey: SOLANA_ADDRESS },
    ],
  },
};
