/**
 * Marks of tokens and networks, drawn for this project on a grid of 24: a well-known color and a simple sign. They identify the token or
 * network, are not copies of logo files, and imply no endorsement. Tokens and networks without a drawing show their first letter.
 */
export type Drawing = {
  /** The color behind the sign. */
  ground: string;
  /** Paths, filled in white; `line` for what is drawn with a stroke instead. */
  fill?: string;
  line?: string;
};

const ether = 'M12 3.5 6.8 12.2 12 15.3l5.200-3.100L12 3.500ZM6.800 13.600 12 20.700l5.200-7.100L12 16.700Z';

/** Drawings by token symbol. */
export const tokenDrawings: Readonly<Record<string, Drawing>> = {
  USDC: {
    ground: '#2775ca',
    line: 'M14.700 9.300c-.4-1-1.400-1.500-2.700-1.500-1.600 0-2.700.8-2.700 2 0 2.900 5.600 1.300 5.600 4.300 0 1.300-1.200 2.100-2.900 2.100-1.500 0-2.600-.6-2.900-1.700M12 6.300v1.500M12 16.200v1.500M8.500 5a7.800 7.800 0 0 0 0 14M15.500 5a7.800 7.800 0 0 1 0 14',
  },
  USDT: {
    ground: '#1f8a6d',
    line: 'M7 7.200h10M12 7.200V17.500M6.500 11.300c0 1 2.500 1.700 5.500 1.700s5.500-.7 5.500-1.700S15 9.600 12 9.600s-5.500.7-5.500 1.700Z',
  },
  DAI: { ground: '#b9770e', line: 'M8.500 6.500h3.500a5.500 5.500 0 0 1 0 11H8.500ZM6.500 10.400h11M6.500 13.600h11' },
  ETH: { ground: '#5b6ee1', fill: ether },
  BNB: {
    ground: '#a97a05',
    fill: 'M12 5.200 14.300 7.500 12 9.800 9.700 7.500ZM7.500 9.700 9.800 12 7.500 14.300 5.200 12ZM16.500 9.700 18.800 12 16.500 14.300 14.200 12ZM12 14.200 14.300 16.500 12 18.800 9.700 16.500ZM12 10.300 13.700 12 12 13.700 10.300 12Z',
  },
  POL: { ground: '#7a3fe0', line: 'M12 5.500 17.600 8.700V15.300L12 18.500 6.400 15.300V8.700ZM12 9.600v4.800' },
  AVAX: { ground: '#cf3a3b', fill: 'M12 5.500 18.700 17.500H14.800L10.300 9ZM9.500 12 11.900 17.500H5.300Z' },
  SOL: { ground: '#6d3fd0', line: 'M8.300 8h9l-1.700 2h-9ZM6.600 11.900h9l1.700 2h-9ZM8.300 15.900h9' },
};

/** Drawings by chain id. */
const mainNetworks: Readonly<Record<number, Drawing | undefined>> = {
  1: { ground: '#5b6ee1', fill: ether },
  10: {
    ground: '#d9202f',
    line: 'M9.500 9.200a2.600 2.600 0 1 0 0 5.200 2.600 2.600 0 0 0 0-5.200ZM14 14.800V9.200h2.100a1.700 1.700 0 0 1 0 3.500H14',
  },
  56: tokenDrawings.BNB,
  137: tokenDrawings.POL,
  8453: {
    ground: '#1652f0',
    fill: 'M12 5.500a6.500 6.500 0 1 1-6.400 7.500h8.600v-2H5.600A6.500 6.500 0 0 1 12 5.500Z',
  },
  42161: { ground: '#2b5f8f', line: 'M8 17.500 12 7l4 10.500M10 14.500l3.200-7' },
  43114: tokenDrawings.AVAX,
};

/** The main network of each test network. */
const tested: Readonly<Record<number, number>> = {
  97: 56,
  43113: 43114,
  80002: 137,
  84532: 8453,
  421614: 42161,
  11155111: 1,
  11155420: 10,
};

export function networkDrawing(chainId: number): Drawing | undefined {
  return mainNetworks[tested[chainId] ?? chainId];
}
