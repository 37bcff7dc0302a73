/** A running gateway as the demo's payers see it: its app settles after two seconds, and its chain mines blocks continuously. */
import type { Demo } from '../../../src/local/demo-file.ts';
import { localChain } from '../../../src/local/local-chains.ts';
import { onTeardown } from '../teardown.ts';
import type { RunningGateway } from './running-gateway.ts';

/** `tokens` defaults to those of the local chain. */
export async function settlingDemo(gateway: RunningGateway, tokens?: Demo['chains'][number]['tokens']): Promise<Demo> {
  const { evm, url, key, scope, database } = gateway;
  const data = { timelockDuration: 2, disputeStartDuration: 2 };
  await database.app.update({ where: { id: scope.appId }, data });
  // A node that mines only when it receives a transaction never reaches the end of a timelock.
  const mining = setInterval(() => evm.testClient.mine({ blocks: 1 }).catch(() => undefined), 1000);
  onTeardown(async () => clearInterval(mining));
  const { escrow, confirmations, tokens: local } = localChain(evm.chainId);
  return {
    restUrl: url,
    graphqlUrl: `${url}/graphql`,
    cardUrl: url,
    appId: scope.appId,
    secretKey: key,
    publishableKey: 'unused',
    chains: [{ chainId: evm.chainId, rpcUrl: evm.rpcUrl, escrow, confirmations, tokens: tokens ?? local }],
    payers: evm.payers.map(({ address, privateKey }) => ({ address, privateKey })),
  };
}
