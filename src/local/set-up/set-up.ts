/**
 * The process that sets up an installation before its parts start: contracts and funds on the local EVM chains, migrations, and the demo
 * merchant. It ends afterwards, so that the libraries it needs do not stay in the memory of `npm start`. It reads its request from standard
 * input as soon as that is complete, and prints the outcome as one line.
 */
import { text } from 'node:stream/consumers';
import { openDatabase } from '../../../prisma/client.ts';
import { deployMigrations } from '../../../prisma/migrate.ts';
import { FirstEditionOpen } from '../../../prisma/open-first-edition.ts';
import { ConfigError } from '../../config/config-error.ts';
import { GatewayError } from '../../errors.ts';
import { type Demo, readDemo, writeDemo } from '../demo-file.ts';
import { localAccounts } from '../local-accounts.ts';
import { localChain } from '../local-chains.ts';
import { localSolanaChain } from '../solana/local-solana-chain.ts';
import { localSolanaAccounts } from '../solana/solana-accounts.ts';
import { LOCAL_SUI_CHAIN_ID, localSuiChain, localSuiHolders } from '../sui/local-sui.ts';
import { furnishChain } from './furnish-chain.ts';
import { localEnvironment } from './local-environment.ts';
import type { SetUp, SetUpOutcome, SetUpRequest } from './run-set-up.ts';
import { seedDemo } from './seed-demo.ts';

async function setUp(request: SetUpRequest): Promise<SetUp> {
  const { settings, databaseUrl, nodes } = request;
  const [{ applied }] = await Promise.all([
    deployMigrations(databaseUrl).catch(refuseForeignTables),
    ...nodes.map(({ rpcUrl, chainId }) => furnishChain({ rpcUrl, chainId })),
  ]);
  return {
    migrations: applied.length,
    environment: localEnvironment(settings, request),
    demo: nodes.length === 0 ? null : await provideDemo(request),
  };
}

/** Throws ConfigError if the database contains tables and no record of migrations. */
function refuseForeignTables(error: unknown): never {
  if (!(error instanceof Error) || !error.message.includes('schema is not empty')) throw error;
  throw new ConfigError('DATABASE_URL: the database contains tables of another program. Use a separate database.');
}

/** Secret keys are returned only once, so the demo file is the only place that holds them. It is kept as long as they are valid. */
async function provideDemo({ settings, databaseUrl, nodes, solana, sui, demoFile }: SetUpRequest): Promise<Demo> {
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    const keys = await seedDemo({ database }, { known: readDemo(demoFile) });
    const origin = `http://127.0.0.1:${settings.port}`;
    const demo: Demo = {
      restUrl: origin,
      graphqlUrl: `${origin}/graphql`,
      cardUrl: origin,
      ...keys,
      chains: nodes.map(({ chainId, rpcUrl }) => {
        const { escrow, confirmations, tokens } = localChain(chainId);
        return { chainId, rpcUrl, escrow, confirmations, tokens: tokens.map(listed) };
      }),
      payers: localAccounts.payers.map(({ address, privateKey }) => ({ address, privateKey })),
      ...(solana ? { solana: demoOfSolana(solana) } : {}),
      ...(sui ? { sui: demoOfSui(sui) } : {}),
    };
    writeDemo(demoFile, demo);
    return demo;
  } finally {
    await database.$disconnect();
  }
}

function listed({ key, address, decimals }: { key: string; address: string; decimals: number }) {
  return { key, address, decimals };
}

function demoOfSolana({ rpcUrl, wsUrl }: NonNullable<SetUpRequest['solana']>): NonNullable<Demo['solana']> {
  const { chainId, confirmations, tokens } = localSolanaChain();
  return { chainId, rpcUrl, wsUrl, confirmations, tokens: tokens.map(listed), payers: localSolanaAccounts.payers };
}

function demoOfSui({ url }: NonNullable<SetUpRequest['sui']>): NonNullable<Demo['sui']> {
  const holders = localSuiHolders.map(({ address }) => ({ address }));
  return { chainId: LOCAL_SUI_CHAIN_ID, rpcUrl: url, tokens: localSuiChain().tokens.map(listed), holders };
}

/** The request is complete when the other side has closed its end. Without one, `npm start` has ended before it could make it. */
const given = await text(process.stdin);
if (given !== '') {
  const outcome: SetUpOutcome = await setUp(JSON.parse(given)).then(
    (done) => ({ done }),
    (error: unknown) => ({ failure: failureOf(error) }),
  );
  // Connections that are kept alive would delay the end by seconds.
  process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit());
}

function failureOf(error: unknown): { message: string; isExpected: boolean } {
  const isExpected = error instanceof ConfigError || error instanceof GatewayError || error instanceof FirstEditionOpen;
  const message =
    error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
  return { message, isExpected };
}
