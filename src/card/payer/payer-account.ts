import { type AccountName, parseAccountName } from '../../chains/account-id.ts';
import type { Registry } from '../../chains/registry.ts';
import { invalid } from '../../errors.ts';

/** An EVM wallet on a chain of this installation. Throws VALIDATION_ERROR for another family's address or another chain. */
export function payerAccount(
  world: { registry: Registry },
  { wallet, chainId }: { wallet: string; chainId: number },
): AccountName {
  const chain = world.registry.enabled().find((one) => one.chainId === chainId && one.family === 'EVM');
  if (!chain) throw invalid([{ param: 'chainId', message: 'is not an EVM chain of this installation' }]);
  const account = parseAccountName(`eip155:${chainId}:${wallet}`);
  if (!account) throw invalid([{ param: 'wallet', message: 'is not an EVM address, or its checksum is wrong' }]);
  return account;
}
