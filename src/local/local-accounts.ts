import { type Address, bytesToHex, type Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

export type LocalAccount = { address: Address; privateKey: Hex };

/** The mnemonic that every local node starts from. Its keys are publicly known, so they are for local chains only. */
const words = 'test test test test test test test test test test test junk';

function accountAt(addressIndex: number): LocalAccount {
  const account = mnemonicToAccount(words, { addressIndex });
  const key = account.getHdKey().privateKey;
  if (!key) throw new Error('A derived key has no private part.');
  return { address: account.address, privateKey: bytesToHex(key) };
}

const deployer = accountAt(0);
const operator = accountAt(1);
const merchant = accountAt(2);
const arbiter = accountAt(3);
const feeRecipient = accountAt(4);
const senders = [accountAt(8), accountAt(9)];
const payers: [LocalAccount, LocalAccount, LocalAccount] = [accountAt(5), accountAt(6), accountAt(7)];

/** The roles on a local chain. Merchant and fee recipient start without tokens, so that what they receive is easy to see. */
export const localAccounts = {
  deployer,
  operator,
  merchant,
  arbiter,
  feeRecipient,
  /** Keys that relay what needs no particular sender. */
  senders,
  payers,
  /** Accounts that receive gas and tokens. */
  funded: payers.map((payer) => payer.address),
};
