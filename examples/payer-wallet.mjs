/** The payer's side of the examples that pay: a key, a node, and the steps that a prepared checkout returns. */
import { createWalletClient, defineChain, hashTypedData, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

export function openWallet({ chainId, rpcUrl }, privateKey) {
  const account = privateKeyToAccount(privateKey);
  const client = createWalletClient({
    account,
    chain: defineChain({
      id: chainId,
      name: `Chain ${chainId}`,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    transport: http(rpcUrl),
  }).extend(publicActions);
  return { address: account.address, account, client };
}

/** Signs or sends each step in order. `signatures` is undefined if there was nothing to sign; `txHash` is that of the last transaction. */
export async function doSteps({ account, client }, steps) {
  let signatures;
  let txHash;
  for (const step of steps) {
    console.log(`- ${step.description}`);
    if (step.kind === 'signTypedData') {
      signatures = { ...signatures, [step.name]: await account.sign({ hash: hashTypedData(step.typedData) }) };
    } else {
      txHash = await client.sendTransaction({ to: step.to, data: step.data, value: BigInt(step.value) });
      const receipt = await client.waitForTransactionReceipt({ hash: txHash });
      if (receipt.status !== 'success') throw new Error(`The transaction ${txHash} was reverted.`);
    }
  }
  return { signatures, txHash };
}
